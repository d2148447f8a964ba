import { visible } from "../../base/text/visible.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { RemoteArguments } from "../remote/session.js";
import { checkRequestRate } from "../terminal/request-rate.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of `external-data sync`. */
export interface SyncArguments extends RemoteArguments {
  readonly network: string;
  /** Empty for all contracts; absent for datasets without logs. */
  readonly contractAddress?: string | undefined;
  /** Files, each prefixed with `<address>=` if it belongs to one contract. */
  readonly abi?: readonly string[] | undefined;
  readonly rpc?: readonly string[] | undefined;
  readonly source?: readonly string[] | undefined;
  /** Whether to read from a server instead of a node. */
  readonly server: boolean;
  readonly archive?: string | undefined;
  readonly offline: boolean;
  readonly fromBlock: number;
  readonly toBlock?: number | undefined;
  /** A folder's path. */
  readonly out: string;
  readonly blocksPerFile?: number | undefined;
  readonly requestsPerSecond?: number | undefined;
  readonly maxRequests?: number | undefined;
  /** Seconds. */
  readonly patience: number;
  readonly verify: VerifyMode;
}

/** The most blocks of a file: an interrupted run starts its current file over. */
const mostBlocksPerFile = 1_000_000;

/** @throws UsageError for contradictory arguments */
export function checkSyncArguments({
  fromBlock,
  toBlock,
  blocksPerFile,
  requestsPerSecond,
  maxRequests,
  patience,
  out,
  archive,
  server,
  rpc,
  source,
  offline,
}: SyncArguments): void {
  const numbers = [
    ["--from-block", fromBlock, 0],
    ["--to-block", toBlock, 0],
    ["--blocks-per-file", blocksPerFile, 1],
    ["--max-requests", maxRequests, 1],
    ["--patience", patience, 0],
  ] as const;
  for (const [name, value, least] of numbers) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw new UsageError(`${name} must be a whole number, ${least} or more.`);
  }
  if (blocksPerFile !== undefined && blocksPerFile > mostBlocksPerFile)
    throw new UsageError(`--blocks-per-file must be at most ${mostBlocksPerFile}.`);
  checkRequestRate(requestsPerSecond);
  if (toBlock !== undefined && toBlock < fromBlock)
    throw new UsageError(
      `--to-block ${toBlock} is before --from-block ${fromBlock}. Pass a last block that is not before the first.`,
    );
  if (out === "") throw new UsageError("--out requires a folder.");
  const ofNode = {
    "--rpc": rpc !== undefined,
    "--source": source !== undefined,
    "--archive": archive !== undefined,
    "--offline": offline,
    "--requests-per-second": requestsPerSecond !== undefined,
    "--max-requests": maxRequests !== undefined,
  };
  const [other] = Object.entries(ofNode).find(([, isGiven]) => isGiven) ?? [];
  if (server && other !== undefined)
    throw new UsageError(
      `--server reads from a server, and ${other} is for reading without one. Pass one of them.`,
    );
  if (offline && source !== undefined)
    throw new UsageError("--source requires a node, and --offline asks none. Pass only one of them.");
  if (archive === "") throw new UsageError("--archive requires a folder.");
}

/**
 * The contract whose logs are requested, in lower case; `undefined` for all.
 * @param isRequired whether to ask for it when it is not given
 * @throws UsageError when it is not an address, or required and not given
 */
export async function contractOf(
  given: string | undefined,
  isRequired: boolean,
  terminal: Terminal,
): Promise<string | undefined> {
  if (given !== undefined && given !== "") return addressOf(given, "--contract-address");
  if (!isRequired) return undefined;
  if (!terminal.ask) throw new UsageError("decoded-logs requires a contract: pass --contract-address 0x…");
  const answer = (await terminal.ask("Address of the contract: "))?.trim();
  if (!answer) throw new UsageError("decoded-logs requires a contract: pass --contract-address 0x…");
  return addressOf(answer, "The contract");
}

/** @param place where the address was given */
export function addressOf(given: string, place: string): string {
  if (/^0x[0-9a-f]{40}$/i.test(given)) return given.toLowerCase();
  throw new UsageError(
    `${place}: "${visible(given)}" is not an address. An address is 0x and 40 hexadecimal digits.`,
  );
}
