import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { ChainError, ReorgError } from "../../chain/chain.js";
import { Fields } from "../../chain/fields.js";
import { decodeBlock } from "../../chain/rpc/decode-block.js";
import type { HistoryBlock } from "../../indexer/history/history-source.js";
import { logsOfBlock } from "../logs-of-block.js";
import { SourceFault } from "../source-fault.js";

type Json = Readonly<Record<string, unknown>>;

const place = "a block of the stream";
/** Portals write quantities as hex, as decimal digits or as numbers. */
const headerQuantities = [
  ["timestamp", "difficulty", "totalDifficulty", "size", "gasLimit", "gasUsed", "baseFeePerGas"],
  ["blobGasUsed", "excessBlobGas"],
].flat();
const transactionQuantities = ["value", "gas", "gasPrice", "effectiveGasPrice", "nonce", "type"];

/**
 * Decodes a line of a stream: a block, its requested logs, and their transactions.
 * @throws SourceFault if it is not such a line
 */
export function readPortalBlock(line: string): HistoryBlock {
  const value = parseJson(line);
  if (value === undefined)
    throw new SourceFault("passing", "a line of its stream is not JSON, or was cut short");
  const header = isRecord(value) ? value.header : undefined;
  if (!isRecord(value) || !isRecord(header)) throw malformed("a line of its stream is not a block");
  try {
    const transactions = listOf(value.transactions).map(transactionOf);
    const shaped = { ...quantitiesOf(header, headerQuantities), transactions };
    const { block } = decodeBlock(place, shaped);
    return {
      block: { ...block, lacksTransactions: true },
      logs: logsOfBlock(listOf(value.logs), block, { place, whose: "its stream" }),
    };
  } catch (error) {
    if (!(error instanceof ChainError || error instanceof ReorgError)) throw error;
    throw malformed(`a block of its stream is malformed: ${error.message.replace(/^.*from the node: /, "")}`);
  }
}

function transactionOf(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const shaped = quantitiesOf(value, transactionQuantities);
  const fields = new Fields(place, shaped);
  return fields.has("gasPrice") ? shaped : { ...shaped, gasPrice: shaped.effectiveGasPrice };
}

/** The object, with quantities as a node returns them. */
function quantitiesOf(value: Json, names: readonly string[]): Json {
  const shaped: Record<string, unknown> = { ...value };
  for (const name of names) {
    const given = value[name];
    if (isWhole(given)) shaped[name] = `0x${BigInt(given).toString(16)}`;
  }
  return shaped;
}

function isWhole(value: unknown): value is number | string {
  if (typeof value === "string") return /^\d{1,78}$/.test(value);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Portals leave out empty lists. */
function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw malformed("a block of its stream has something else in place of a list");
}

function malformed(why: string): SourceFault {
  return new SourceFault("passing", why);
}
