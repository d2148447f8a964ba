import { readFileSync } from "node:fs";

/**
 * When something was recorded: with the chain's head at block 15, 21 and 28, and at 28 after everything was started anew
 * with `GRAPH_ALLOW_NON_DETERMINISTIC_IPFS`.
 */
export const moments = ["15", "21", "28", "restarted"] as const;
export type Moment = (typeof moments)[number];

/** A small subgraph on the recorded chain, and what a graph-node 0.44 said of it. */
export interface RecordedCase {
  readonly name: string;
  /** The mapping: `modules/<module>.wasm`, compiled from `<module>.as` and `base.as`. */
  readonly module: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly schema: string;
  readonly queries: readonly string[];
  /** Its second query asked for `_meta` beside what it says, at block 15, which is left out of the answer. */
  readonly asksMeta?: true;
  /** `accepted`, or why it was refused. */
  readonly deploy: string;
  /** It was deployed at the first of these moments, and asked at all of them. */
  readonly recorded: { readonly [At in Moment]?: Sample };
}

/** What was said of a deployment at a moment. */
export interface Sample {
  readonly status: RecordedStatus;
  /** To the case's queries, in their order; the deployment's id is `ID`. */
  readonly answers: readonly unknown[];
}

/** A status as index nodes give it, with the numbers of blocks alone. */
export interface RecordedStatus {
  readonly health: string;
  readonly synced: boolean;
  readonly paused: boolean;
  readonly latestBlock: string | null;
  readonly earliestBlock: string | null;
  readonly lastHealthyBlock: string | null;
  readonly fatalError: RecordedError | null;
  readonly nonFatalErrors: readonly RecordedError[];
}

export interface RecordedError {
  readonly message: string;
  readonly block: string | null;
  readonly handler: string | null;
  readonly deterministic: boolean;
}

/** All cases in the order in which they were recorded. */
export const recordedCases: readonly RecordedCase[] = lines("cases.jsonl").map((line) => JSON.parse(line));

/** What the traces of the chain's blocks are, by the number of the block. */
export const recordedTraces: readonly unknown[] = lines("traces.jsonl").map((line) => JSON.parse(line));

/** The files on IPFS, by their content identifiers. */
export const recordedFiles: ReadonlyMap<string, string> = new Map(
  lines("files.jsonl").map((line): [string, string] => {
    const { cid, text } = JSON.parse(line);
    return [cid, text];
  }),
);

/** The content of a file beside this one. */
export function sharedFile(path: string): Uint8Array {
  return readFileSync(new URL(path, import.meta.url));
}

function lines(name: string): readonly string[] {
  return readFileSync(new URL(name, import.meta.url), "utf8")
    .trim()
    .split("\n");
}
