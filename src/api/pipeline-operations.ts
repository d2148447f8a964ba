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

/** How a sink of a pipeline is doing. */
export interface PipelineSink {
  readonly state: "progressing" | "idle" | "stalled" | "ended" | "halted";
  /** Rows written since the pipeline started, deletions included. */
  readonly rows: number;
  /** The last block written from each source. */
  readonly blocks: Readonly<Record<string, number>>;
  /** Rows written per second, over the last ten seconds. */
  readonly rows_per_second: number;
  /** Blocks between the last one written and the chain head, by source, where the head is known. */
  readonly lag: Readonly<Record<string, number>>;
  /** Why it is stalled or halted. */
  readonly why: string | null;
  /** When it became idle or stalled. */
  readonly since: string | null;
  /** When it retries. */
  readonly retry_at: string | null;
  /** Rows set aside because they do not fit. */
  readonly parked: number;
  /** Keys that lookups have not found since the pipeline started, if it looks rows up. */
  readonly lookup_misses?: number;
  /** Rows in topics that Flink has not yet read, if Flink runs the queries. */
  readonly waiting?: number;
}

export interface PipelineNode {
  readonly name: string;
  readonly kind: "source" | "transform" | "sink";
  readonly type: string;
  /** The nodes that it reads. */
  readonly reads: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly key: readonly string[];
}

/** A node of a pipeline that may have run. */
export interface RunningNode extends PipelineNode {
  /** Rows that a source or a transform has produced since the pipeline started; absent if unknown. */
  readonly rows?: number;
  /** Rows that it produces per second, over the last ten seconds. */
  readonly rows_per_second?: number;
}

/** The requested state of a pipeline. */
export type DesiredStatus = "ACTIVE" | "INACTIVE" | "PAUSED";

/** A pipeline and everything the server knows about it. */
export interface PipelineInfo {
  readonly name: string;
  readonly form: "pipeline" | "stream";
  readonly job: boolean;
  readonly version: number;
  readonly desired_status: DesiredStatus;
  readonly runtime_status: "STARTING" | "RUNNING" | "FAILING" | "TERMINATED" | "COMPLETED";
  readonly resource_size: string;
  /** Set if Flink runs the queries. */
  readonly engine?: "flink";
  /** The form of 256-bit integers in Flink. */
  readonly integers?: "decimal" | "string";
  readonly description: string | null;
  /** The change in progress. */
  readonly request: { readonly kind: string; readonly since: string } | null;
  readonly error: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  /** The definition as submitted. */
  readonly text: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The ABIs that its queries name by their addresses, as fetched when it was applied. */
  readonly abis: readonly { readonly url: string; readonly format: string; readonly abi: string }[];
  readonly nodes: readonly RunningNode[];
  readonly sinks: Readonly<Record<string, PipelineSink>>;
}

/** A mistake in a definition, or a note about it. */
export interface DefinitionFinding {
  readonly severity: "error" | "warning" | "note";
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  /** From 1. */
  readonly line?: number;
  readonly column?: number;
  readonly length?: number;
  readonly hint?: string;
}

export interface AppliedDefinition {
  readonly change: "created" | "updated" | "unchanged";
  readonly pipeline: PipelineInfo;
  readonly findings: readonly DefinitionFinding[];
}

export interface SentDefinition {
  /** YAML or JSON. */
  readonly text: string;
  readonly variables?: Readonly<Record<string, string>>;
}

export interface SentComparison extends SentDefinition, Pick<SentApply, "engine" | "integers"> {}

export interface SentApply extends SentDefinition {
  readonly resource_size?: string;
  readonly description?: string;
  readonly status?: DesiredStatus;
  /** `new`, `last`, `none`, or the id of a snapshot. */
  readonly from_snapshot?: string;
  /**
   * What to do with sinks whose rows are computed differently: `reset`, `recreate`, or `settle` for sinks
   * that need it.
   */
  readonly on_change?: "reset" | "recreate" | "settle";
  /** Whether the pipeline must not exist yet. */
  readonly create?: boolean;
  /** What runs its queries: `graphloom`, `flink`, or `flink=<gateway>`; unchanged by default. */
  readonly engine?: string;
  /** The form of 256-bit integers in Flink. */
  readonly integers?: "decimal" | "string";
}

/** A change to the requested state of a pipeline. */
export interface SentStatus {
  readonly status: DesiredStatus;
  /** Whether to restart it even if it is running. */
  readonly restart?: boolean;
  readonly from_snapshot?: string;
}

export interface PipelineVersionInfo {
  readonly version: number;
  readonly resource_size: string;
  readonly description: string | null;
  readonly created_at: string;
}

export interface PipelineSnapshotInfo {
  readonly id: string;
  /** The version of the definition that ran. */
  readonly version: number;
  /** Why it was taken. */
  readonly cause: "request" | "schedule" | "change" | "pause";
  readonly created_at: string;
  /** The next block of each source, by sink. */
  readonly sinks: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Where Flink continues, if it runs the queries. */
  readonly savepoint?: string;
}

/** A node whose rows can be inspected. */
export interface InspectedNode extends PipelineNode {
  /** Its part of the definition, in today's form. */
  readonly definition: unknown;
}

/** What inspecting a pipeline reports about the rows that pass its nodes. */
export type InspectEvent =
  /** Always first: the inspected nodes. */
  | { readonly event: "nodes"; readonly nodes: readonly InspectedNode[] }
  /** A row was inserted, updated or deleted. */
  | {
      readonly event: "row";
      readonly node: string;
      readonly op: "i" | "u" | "d";
      readonly row: Readonly<Record<string, unknown>>;
    }
  /** Rows that passed a node but are not shown, because there were too many. */
  | { readonly event: "dropped"; readonly node: string; readonly rows: number }
  /**
   * The pipeline has ended on this server: all of its sources have ended, it was stopped or changed, or it failed.
   */
  | { readonly event: "end"; readonly how: "completed" | "stopped" | "failed" };

/** The operations of pipelines found on graphloom's server but not in the contract. */
export type PipelineOperationId =
  | "applyPipeline"
  | "checkPipeline"
  | "comparePipeline"
  | "describePipeline"
  | "listPipelineVersions"
  | "setPipelineStatus"
  | "resizePipeline"
  | "cancelPipelineChange"
  | "listPipelineSnapshots"
  | "createPipelineSnapshot"
  | "inspectPipeline";

const orNull = (type: string): Schema => ({ type: [type, "null"] });
const texts: Schema = { type: "object", additionalProperties: { type: "string" } };
const finding = objectOf({
  severity: { type: "string", enum: ["error", "warning", "note"] },
  code: textSchema("What `graphloom explain` explains."),
  message: textSchema(),
  "field?": textSchema(),
  "line?": { type: "integer" },
  "column?": { type: "integer" },
  "length?": { type: "integer" },
  "hint?": textSchema("What to do."),
});
const nodeParts = {
  name: textSchema(),
  kind: { type: "string", enum: ["source", "transform", "sink"] },
  type: textSchema(),
  reads: listOf(textSchema()),
  columns: listOf(objectOf({ name: textSchema(), type: textSchema() })),
  key: listOf(textSchema()),
} as const;
export const nodeSchema = objectOf(nodeParts);
const runningNode = objectOf({
  ...nodeParts,
  "rows?": {
    type: "number",
    description: "Rows that a source or a transform has given since the pipeline started, if they are known.",
  },
  "rows_per_second?": { type: "number", description: "Over the last ten seconds." },
});
const sink = objectOf({
  state: { type: "string", enum: ["progressing", "idle", "stalled", "ended", "halted"] },
  rows: { type: "number", description: "Rows that were written since it started, deletions included." },
  blocks: { type: "object", additionalProperties: { type: "number" } },
  rows_per_second: { type: "number", description: "Over the last ten seconds." },
  lag: {
    type: "object",
    description: "Blocks behind the head of the chain, by source, where the head is known.",
    additionalProperties: { type: "number" },
  },
  why: orNull("string"),
  since: noTimeSchema,
  retry_at: noTimeSchema,
  parked: { type: "number" },
  "lookup_misses?": {
    type: "number",
    description: "Keys that lookups have not found since the pipeline started.",
  },
  "waiting?": { type: "number", description: "Rows of topics that Flink has not read yet." },
});
const integers: Schema = {
  type: "string",
  enum: ["decimal", "string"],
  description: "What integers of 256 bits are in Flink.",
};
const engine = textSchema(
  "What runs its queries: graphloom, flink or flink=<gateway>; as before by default.",
);
const desired: Schema = { type: "string", enum: ["ACTIVE", "INACTIVE", "PAUSED"] };
const size: Schema = textSchema("A resource size: xs, s, m, l, xl, xxl, mem.l, mem.xl or mem.xxl.");
const fromSnapshot: Schema = textSchema(
  "Where it continues: new or last, with what its sinks have; none, from the start; or the id of a snapshot.",
);
const info = objectOf({
  name: textSchema(),
  form: { type: "string", enum: ["pipeline", "stream"] },
  job: { type: "boolean" },
  version: { type: "integer" },
  desired_status: desired,
  runtime_status: { type: "string", enum: ["STARTING", "RUNNING", "FAILING", "TERMINATED", "COMPLETED"] },
  resource_size: size,
  "engine?": { type: "string", enum: ["flink"], description: "Flink, if that runs its queries." },
  "integers?": integers,
  description: orNull("string"),
  request: { oneOf: [objectOf({ kind: textSchema(), since: timeSchema }), { type: "null" }] },
  error: orNull("string"),
  created_at: timeSchema,
  updated_at: timeSchema,
  text: textSchema("The definition as it was given."),
  variables: texts,
  abis: listOf(objectOf({ url: { type: "string" }, format: { type: "string" }, abi: { type: "string" } })),
  nodes: listOf(runningNode),
  sinks: { type: "object", additionalProperties: sink },
});
const snapshot = objectOf({
  id: textSchema(),
  version: { type: "integer", description: "The version of the definition that ran." },
  cause: { type: "string", enum: ["request", "schedule", "change", "pause"] },
  created_at: timeSchema,
  sinks: {
    type: "object",
    description: "The next block of each source, by sink.",
    additionalProperties: { type: "object", additionalProperties: { type: "number" } },
  },
  "savepoint?": textSchema("Where Flink goes on, if that runs the queries."),
});
const definition = { text: { type: "string", minLength: 1, maxLength: 1_000_000 }, "variables?": texts };

/** The operations, as they also appear in the server's description. */
export const pipelineOperations: Readonly<Record<PipelineOperationId, Extension>> = {
  applyPipeline: {
    method: "PUT",
    path: "/pipelines/{name}/definition",
    summary: "Creates a pipeline from a definition in YAML or JSON, or gives it another version.",
    body: objectOf({
      ...definition,
      "resource_size?": size,
      "description?": textSchema(),
      "status?": desired,
      "from_snapshot?": fromSnapshot,
      "on_change?": {
        type: "string",
        enum: ["reset", "recreate", "settle"],
        description:
          "Empties sinks whose rows are computed differently: all of them, with their tables made again, or only sinks that cannot continue.",
      },
      "create?": { type: "boolean", description: "Whether it must not exist yet." },
      "engine?": engine,
      "integers?": integers,
    }),
    answer: dataOf(
      objectOf({
        change: { type: "string", enum: ["created", "updated", "unchanged"] },
        pipeline: info,
        findings: listOf(finding),
      }),
    ),
  },
  checkPipeline: {
    method: "POST",
    path: "/pipelines/check",
    summary: "Checks a definition in YAML or JSON, and returns every mistake with its place.",
    body: objectOf(definition),
    answer: dataOf(objectOf({ findings: listOf(finding), nodes: listOf(nodeSchema) })),
  },
  comparePipeline: {
    method: "POST",
    path: "/pipelines/{name}/compare",
    summary: "Says what becomes of each sink of a pipeline when a definition is applied. Nothing is written.",
    body: objectOf({ ...definition, "engine?": engine, "integers?": integers }),
    answer: dataOf(
      objectOf({
        sinks: listOf(
          objectOf({
            sink: textSchema(),
            type: textSchema(),
            change: { type: "string", enum: ["same", "continues", "resets", "new", "gone", "unknown"] },
            reasons: listOf(textSchema("What is computed otherwise, or why the sink cannot be asked.")),
            reset: orNull("string"),
            recreate: orNull("string"),
            otherwise: orNull("string"),
          }),
        ),
      }),
    ),
  },
  describePipeline: {
    method: "GET",
    path: "/pipelines/{name}/info",
    summary: "Returns a pipeline with its definition, its nodes and the state of its sinks.",
    query: { version: { type: "integer", minimum: 1, description: "Another version of its definition." } },
    answer: dataOf(info),
  },
  listPipelineVersions: {
    method: "GET",
    path: "/pipelines/{name}/versions",
    summary: "Lists the versions of a pipeline's definition, newest first.",
    answer: dataOf(
      listOf(
        objectOf({
          version: { type: "integer" },
          resource_size: size,
          description: orNull("string"),
          created_at: timeSchema,
        }),
      ),
    ),
  },
  setPipelineStatus: {
    method: "PUT",
    path: "/pipelines/{name}/status",
    summary: "Starts, pauses, stops or restarts a pipeline.",
    body: objectOf({ status: desired, "restart?": { type: "boolean" }, "from_snapshot?": fromSnapshot }),
    answer: dataOf(info),
  },
  resizePipeline: {
    method: "PUT",
    path: "/pipelines/{name}/size",
    summary: "Changes the resource size of a pipeline.",
    body: objectOf({ resource_size: size }),
    answer: dataOf(info),
  },
  cancelPipelineChange: {
    method: "PUT",
    path: "/pipelines/{name}/cancel-update",
    summary: "Cancels the change of a pipeline that is under way.",
    answer: dataOf(info),
  },
  listPipelineSnapshots: {
    method: "GET",
    path: "/pipelines/{name}/snapshots",
    summary: "Lists the snapshots of a pipeline, newest first.",
    query: { version: { type: "integer", minimum: 1, description: "Only those of a version." } },
    answer: dataOf(listOf(snapshot)),
  },
  createPipelineSnapshot: {
    method: "POST",
    path: "/pipelines/{name}/snapshots",
    summary: "Takes a snapshot of how far the sinks of a pipeline are.",
    answer: dataOf(snapshot),
  },
  inspectPipeline: {
    method: "GET",
    path: "/pipelines/{name}/inspect",
    summary:
      "Shows rows that pass the nodes of a pipeline, as server-sent events: nodes, row, dropped and end.",
    query: { nodes: textSchema("Names of nodes, separated by commas; all by default.") },
    file: { media: "text/event-stream", headers: {} },
  },
};
