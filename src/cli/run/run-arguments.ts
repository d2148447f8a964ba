import type { Optimization } from "../../compiler/asc/asc.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { WordArguments } from "../named/word-options.js";
import {
  type CacheArguments,
  type GatewayArguments,
  givenGateways,
  type ReportArguments,
} from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface RunArguments extends ReportArguments, CacheArguments, WordArguments, GatewayArguments {
  /** The word that names the subgraph. */
  readonly subgraph: string;
  readonly rpc?: readonly string[] | undefined;
  /** Sources of history. */
  readonly source?: readonly string[] | undefined;
  /** A file's path. */
  readonly ensNames?: string | undefined;
  /** A folder's path. */
  readonly archive?: string | undefined;
  /** Whether to read only from the archive, without a node. */
  readonly offline: boolean;
  readonly blocks?: number | undefined;
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
  readonly watch: boolean;
  /** Whether to plan first, and to compare the plan with the run. */
  readonly plan: boolean;
  /** A folder's path, or the address of a PostgreSQL database. */
  readonly database?: string | undefined;
  readonly entity?: readonly string[] | undefined;
  readonly last?: number | undefined;
  readonly output: "table" | "json" | "ndjson";
  /** Seconds. */
  readonly patience: number;
  readonly verify: VerifyMode;
  readonly proofs: boolean;
  readonly optimize: Optimization;
}

/** @throws UsageError for contradictory arguments */
export function checkRunArguments(args: RunArguments): void {
  const numbers = [
    ["--blocks", args.blocks, 1],
    ["--from-block", args.fromBlock, 0],
    ["--to-block", args.toBlock, 0],
    ["--last", args.last, 0],
    ["--patience", args.patience, 0],
  ] as const;
  for (const [name, value, least] of numbers) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    throw new UsageError(`${name} must be a whole number, ${least} or more.`);
  }
  const { fromBlock, toBlock, output, format, ensNames, database } = args;
  if (args.archive === "") throw new UsageError("--archive requires a folder.");
  if (args.offline && args.watch)
    throw new UsageError("--offline and --watch contradict each other: an archive gets no new blocks.");
  if (args.plan && args.watch)
    throw new UsageError("--plan and --watch contradict each other: a run without an end cannot be planned.");
  if (args.plan && args.offline)
    throw new UsageError("--plan requires a node, and --offline asks none. Pass only one of them.");
  if (args.source?.length && args.offline)
    throw new UsageError("--source requires a node, and --offline asks none. Pass only one of them.");
  if (ensNames === "") throw new UsageError("--ens-names requires a file.");
  givenGateways(args);
  if (database === "")
    throw new UsageError("--database requires a folder, or the address of a PostgreSQL database.");
  if (fromBlock !== undefined && toBlock !== undefined && toBlock < fromBlock)
    throw new UsageError("--to-block is before --from-block.");
  if (output !== "table" && format !== "text")
    throw new UsageError(
      `--output ${output} and --format ${format} both write to standard output. Pass only one of them.`,
    );
}
