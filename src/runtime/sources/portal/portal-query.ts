import type { LogFilter } from "../../chain/chain.js";
import type { BlockRange } from "../../indexer/logs/tails.js";

/** Fields of headers that every Portal has. Hashes, roots and the bloom filter prove the other data. */
const headerFields = [
  ["number", "hash", "parentHash", "timestamp", "nonce", "sha3Uncles", "logsBloom", "transactionsRoot"],
  ["stateRoot", "receiptsRoot", "mixHash", "miner", "difficulty", "totalDifficulty", "extraData", "size"],
  ["gasLimit", "gasUsed", "baseFeePerGas"],
].flat();

/**
 * Fields that forks have added to headers. Without them, the hash of a later header cannot be recomputed. A Portal may
 * know only some.
 */
const laterFields = ["withdrawalsRoot", "blobGasUsed", "excessBlobGas"];
const latestFields = ["parentBeaconBlockRoot", "requestsHash"];

/** The lists of header fields to ask for, the best first. */
export const headerChoices: readonly (readonly string[])[] = [
  [...headerFields, ...laterFields, ...latestFields],
  [...headerFields, ...laterFields],
  headerFields,
];

const transactionFields = [
  ["transactionIndex", "hash", "from", "to", "value", "gas", "gasPrice", "effectiveGasPrice", "input"],
  ["nonce", "type"],
].flat();

const logFields = ["logIndex", "transactionIndex", "transactionHash", "address", "data", "topics"];

/** A filter in the form of a request. */
export interface LogRequest {
  readonly address?: readonly string[];
  readonly topic0?: readonly string[];
  readonly transaction: true;
}

/** The request for the logs of an entry of a filter. */
export function logRequest({ addresses, topics }: LogFilter[number]): LogRequest {
  return {
    ...(addresses.length > 0 && { address: addresses }),
    ...(topics && { topic0: topics }),
    transaction: true,
  };
}

/**
 * The body of a request for a stream of blocks.
 * @param parentHash the hash of the block before the first one, if it is known
 */
export function streamQuery(
  { from, to }: BlockRange,
  logs: readonly LogRequest[],
  header: readonly string[],
  parentHash: string | undefined,
): object {
  return {
    type: "evm",
    fromBlock: from,
    toBlock: to,
    ...(parentHash !== undefined && { parentBlockHash: parentHash }),
    includeAllBlocks: true,
    fields: { block: all(header), transaction: all(transactionFields), log: all(logFields) },
    logs,
  };
}

function all(names: readonly string[]): Readonly<Record<string, true>> {
  return Object.fromEntries(names.map((name) => [name, true]));
}
