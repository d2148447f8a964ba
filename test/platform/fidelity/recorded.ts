import { readFileSync } from "node:fs";

/**
 * The moments of recording: with the chain head at block 15, 21 and 28, and at 28 after a restart with
 * `GRAPH_ALLOW_NON_DETERMINISTIC_IPFS`.
 */
export const moments = ["15", "21", "28", "restarted"] as const;
export type Moment = (typeof moments)[number];

/** A small subgraph on the recorded chain, and the answers of graph-node 0.44. */
export interface RecordedCase {
  readonly name: string;
  /** The mapping: `modules/<module>.wasm`, compiled from `<module>.as` and `base.as`. */
  readonly module: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly schema: string;
  readonly queries: readonly string[];
  /** At block 15, its second query also requested `_meta`, which is omitted from the answer. */
  readonly asksMeta?: true;
  /** `accepted`, or the reason for the rejection. */
  readonly deploy: string;
  /** It was deployed at the first of these moments, and queried at all of them. */
  readonly recorded: { readonly [At in Moment]?: Sample };
}

/** The status and answers of a deployment at a moment. */
export interface Sample {
  readonly status: RecordedStatus;
  /** The answers to the case's queries, in order. `ID` stands for the deployment ID. */
  readonly answers: readonly unknown[];
}

/** A status as index nodes report it, with block numbers only. */
export interface RecordedStatus {
  readonly health: string;
  readonly synced: boolean;
  readonly paused: boolean;
  /** It was not recorded for every case. */
  readonly entityCount?: string;
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

/** The traces of the chain's blocks, by block number. */
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
