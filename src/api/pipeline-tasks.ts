import {
  dataOf,
  type Extension,
  listOf,
  noTimeSchema,
  objectOf,
  type Schema,
  textSchema,
  timeSchema,
} from "./extension.js";

/** First and last block, or first and last change of a feed. */
export interface TaskRange {
  readonly from: number;
  readonly to: number;
}

/** A change that a sink has set aside. */
export interface ParkedRow {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly operation: "i" | "u" | "d";
  readonly key: Readonly<Record<string, string>>;
  readonly row: Readonly<Record<string, unknown>>;
  readonly reason: string | null;
  readonly parkedAt: string;
  readonly droppedAt: string | null;
}

/** A sink's parked changes: their number, and the first of them. */
export interface ParkedRows {
  readonly sink: string;
  readonly total: number;
  readonly first: readonly ParkedRow[];
}

export interface AskedTask {
  readonly kind: "verify" | "repair" | "replay" | "retry" | "drop";
  readonly sink?: string;
  readonly range?: TaskRange;
  readonly key?: Readonly<Record<string, string>>;
}

export interface PipelineTaskInfo<Result = unknown> {
  readonly id: string;
  readonly task: AskedTask;
  readonly state: "running" | "done" | "failed" | "cancelled";
  /** When it was asked to end. */
  readonly cancelled_at: string | null;
  /** Its progress, as a sentence. */
  readonly progress: string | null;
  /** Why it failed. */
  readonly error: string | null;
  readonly result: Result | null;
  readonly created_at: string;
  readonly ended_at: string | null;
}

/** Which sinks and blocks to verify. */
export interface SentVerify {
  readonly sink?: string | undefined;
  readonly from_block?: number | undefined;
  readonly to_block?: number | undefined;
}

export interface SentRepair extends SentVerify {
  readonly sink: string;
  readonly trust_source?: boolean;
  readonly adopt?: boolean;
}

/** Which rows to send again. */
export interface SentReplay {
  readonly sink: string;
  readonly from_block: number;
  readonly to_block: number;
  readonly count_only?: boolean;
}

/** Which parked changes to act on. */
export interface SentParked {
  readonly sink?: string | undefined;
  readonly key?: Readonly<Record<string, string>> | undefined;
}

export type PipelineTaskOperationId =
  | "verifyPipeline"
  | "repairPipeline"
  | "replayPipeline"
  | "listParkedChanges"
  | "retryParkedChanges"
  | "dropParkedChanges"
  | "cancelPipelineTask"
  | "listPipelineTasks"
  | "getPipelineTask";

const block: Schema = { type: "integer", minimum: 0, maximum: 999_999_999_999_999 };
const texts: Schema = { type: "object", additionalProperties: { type: "string", maxLength: 10_000 } };
const sink = textSchema("The name of the sink; all by default.");
const count: Schema = { type: "integer" };
const object: Schema = { type: "object" };
const range = objectOf({ from: count, to: count });
const parked = objectOf({
  source: textSchema(),
  from: count,
  to: count,
  operation: { type: "string", enum: ["i", "u", "d"] },
  key: object,
  row: object,
  reason: { type: ["string", "null"] },
  parkedAt: timeSchema,
  droppedAt: noTimeSchema,
});
const parkedRows = { sink: textSchema(), total: count, first: listOf(parked) };
const compared = objectOf({
  source: textSchema(),
  compared: { type: "string", enum: ["ranges", "rows", "some rows", "nothing"] },
  "range?": range,
  ranges: count,
  rows: count,
  open: count,
  differing: listOf(
    objectOf({ from: count, to: count, "recorded?": count, found: count, isMended: { type: "boolean" } }),
  ),
});
const counts = objectOf({ missing: count, altered: count, doubled: count, foreign: count });
const differences = objectOf({
  counts,
  first: listOf(
    objectOf({ kind: textSchema(), "table?": textSchema(), key: object, "columns?": listOf(textSchema()) }),
  ),
  notes: listOf(textSchema()),
  strays: listOf(textSchema()),
  whole: { type: "boolean" },
});
const comparedSink: Schema = {
  anyOf: [
    objectOf({
      sink: textSchema(),
      type: textSchema(),
      error: textSchema(),
      "temporary?": { type: "boolean" },
    }),
    objectOf({
      sink: textSchema(),
      type: textSchema(),
      ledger: { type: "boolean" },
      sources: listOf(compared),
      unproved: listOf(textSchema()),
      parked: listOf(parked),
      rows: { oneOf: [differences, { type: "null" }] },
    }),
  ],
};
const result: Schema = {
  anyOf: [
    objectOf({
      kind: { type: "string", enum: ["verify", "repair"] },
      agrees: { type: "boolean" },
      sinks: listOf(comparedSink),
    }),
    objectOf({
      kind: { type: "string", const: "replay" },
      rows: count,
      overtaken: count,
      sent: { type: "boolean" },
    }),
    objectOf({
      kind: { type: "string", enum: ["retry", "drop"] },
      sinks: listOf(objectOf({ ...parkedRows, done: count })),
    }),
  ],
};
const task = objectOf({
  id: textSchema(),
  task: { type: "object", description: "What was asked: kind, sink, range and key." },
  state: { type: "string", enum: ["running", "done", "failed", "cancelled"] },
  cancelled_at: { ...noTimeSchema, description: "Since when it is to end." },
  progress: { type: ["string", "null"], description: "How far it is, or was when it ended." },
  error: { type: ["string", "null"], description: "Why it failed." },
  result: {
    oneOf: [result, { type: "null" }],
    description:
      "verify and repair: whether all agrees, and the findings by sink. replay: rows, overtaken rows, and whether they were sent. retry and drop: how many changes are done, and what is left, by sink. Lists have at most 100 items, and long texts are cut.",
  },
  created_at: timeSchema,
  ended_at: noTimeSchema,
});

/** The operations, as they also appear in the server's description. */
export const pipelineTaskOperations: Readonly<Record<PipelineTaskOperationId, Extension>> = {
  verifyPipeline: {
    method: "POST",
    path: "/pipelines/{name}/verify",
    summary: "Begins to compare the sources, ledgers and sinks of a pipeline.",
    body: objectOf({ "sink?": sink, "from_block?": block, "to_block?": block }),
    answer: dataOf(task),
  },
  repairPipeline: {
    method: "POST",
    path: "/pipelines/{name}/repair",
    summary: "Begins to mend the rows of a sink that a comparison finds. The pipeline must be paused.",
    body: objectOf({
      sink: textSchema(),
      "from_block?": block,
      "to_block?": block,
      "trust_source?": {
        type: "boolean",
        description: "Whether the source counts where it and the ledger differ.",
      },
      "adopt?": {
        type: "boolean",
        description:
          "Whether a sink whose position the server does not know gets what its sources give now, and goes on from there. The source counts then.",
      },
    }),
    answer: dataOf(task),
  },
  replayPipeline: {
    method: "POST",
    path: "/pipelines/{name}/replay",
    summary: "Begins to send the rows of some blocks to a sink again. The pipeline must be paused.",
    body: objectOf({
      sink: textSchema(),
      from_block: block,
      to_block: block,
      "count_only?": { type: "boolean", description: "Whether rows are only counted." },
    }),
    answer: dataOf(task),
  },
  listParkedChanges: {
    method: "GET",
    path: "/pipelines/{name}/parked",
    summary: "Lists what the sinks of a pipeline keep aside, the first 100 changes of each.",
    query: { sink },
    answer: dataOf(listOf(objectOf(parkedRows))),
  },
  retryParkedChanges: {
    method: "POST",
    path: "/pipelines/{name}/parked/retry",
    summary: "Begins to write what sinks keep aside, as far as they take it. The pipeline must be paused.",
    body: objectOf({ "sink?": sink, "key?": texts }),
    answer: dataOf(task),
  },
  dropParkedChanges: {
    method: "POST",
    path: "/pipelines/{name}/parked/drop",
    summary: "Gives up what a sink keeps aside of a key. The pipeline must be paused.",
    body: objectOf({ sink: textSchema(), key: texts }),
    answer: dataOf(task),
  },
  listPipelineTasks: {
    method: "GET",
    path: "/pipelines/{name}/tasks",
    summary: "Lists what was asked of a pipeline's sinks, the last ten, newest first.",
    answer: dataOf(listOf(task)),
  },
  getPipelineTask: {
    method: "GET",
    path: "/pipelines/{name}/tasks/{id}",
    summary: "Returns how far a task of a pipeline is, or its outcome.",
    answer: dataOf(task),
  },
  cancelPipelineTask: {
    method: "PUT",
    path: "/pipelines/{name}/tasks/{id}/cancel",
    summary: "Asks for the end of a task of a pipeline, within seconds. What it has done stays done.",
    answer: dataOf(task),
  },
};
