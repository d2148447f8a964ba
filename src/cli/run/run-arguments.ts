import type { Optimization } from "../../compiler/asc/asc.js";
import type { CacheArguments, ReportArguments } from "../terminal/options.js";

/** What `run` was given. */
export interface RunArguments extends ReportArguments, CacheArguments {
  readonly config: string;
  readonly rpc?: string | readonly string[] | undefined;
  readonly blocks?: number | undefined;
  readonly fromBlock?: number | undefined;
  readonly toBlock?: number | undefined;
  readonly watch: boolean;
  readonly entity?: string | readonly string[] | undefined;
  readonly last?: number | undefined;
  readonly output: "table" | "json" | "ndjson";
  /** Seconds. */
  readonly patience: number;
  readonly optimize: Optimization;
}

/** What is wrong with the arguments in themselves, as a sentence. */
export function wrongArguments(args: RunArguments): string | undefined {
  const numbers = [
    ["--blocks", args.blocks, 1],
    ["--from-block", args.fromBlock, 0],
    ["--to-block", args.toBlock, 0],
    ["--last", args.last, 0],
    ["--patience", args.patience, 0],
  ] as const;
  for (const [name, value, least] of numbers) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= least)) continue;
    return `${name} needs a whole number, ${least} or more.`;
  }
  const { fromBlock, toBlock, output, format } = args;
  if (fromBlock !== undefined && toBlock !== undefined && toBlock < fromBlock)
    return "--to-block is before --from-block.";
  if (output !== "table" && format !== "text")
    return `--output ${output} and --format ${format} both need standard output: give one of them.`;
  return undefined;
}

/** An option that may be given several times. */
export function all(given: string | readonly string[] | undefined): readonly string[] {
  return given === undefined ? [] : [given].flat();
}
