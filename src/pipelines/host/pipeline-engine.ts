import type { SinkChange } from "../../base/sink-change.js";
import type { Sql } from "../../store/database/database.js";
import type { FetchedAbi } from "../definition/fetch-abis.js";
import type { IntegerForm } from "../flink/column-types.js";
import type { JobFate } from "../flink/job/job-driver.js";
import type { SinkDocument } from "../tasks/findings-document.js";
import type { ParkedCount, PipelineTask, PipelineTaskResult } from "../tasks/pipeline-task.js";
import type { ResourceSize } from "./resource-sizes.js";

export type { PipelineTask, PipelineTaskResult } from "../tasks/pipeline-task.js";

/** A definition as a server keeps it. */
export interface DefinitionText {
  /** YAML or JSON. */
  readonly text: string;
  /** Values for its variables, `${NAME}`. */
  readonly variables: Readonly<Record<string, string>>;
  /** ABIs that it fetched when it was applied. Others are fetched when it is checked. */
  readonly abis?: readonly FetchedAbi[];
  /** What runs its queries, if it is not the server. */
  readonly engine?: OtherEngine | undefined;
}

/** Flink, and its type for integers of 256 bits. */
export interface OtherEngine {
  readonly kind: "flink";
  readonly integers: IntegerForm;
}

/** A mistake in a definition, or something to know about it. */
export interface Finding {
  readonly severity: "error" | "warning" | "note";
  /** The code that `graphloom explain` explains. */
  readonly code: string;
  readonly message: string;
  /** The setting: `sinks.stored.table`; absent if the whole definition is wrong. */
  readonly field?: string;
  /** Where in the text, from 1; absent if no part is at fault. */
  readonly line?: number;
  readonly column?: number;
  /** Characters of that part, as UTF-16 counts them. */
  readonly length?: number;
  /** What to do. */
  readonly hint?: string;
}

/** A node of a definition that was checked. */
export interface TopologyNode {
  readonly name: string;
  readonly kind: "source" | "transform" | "sink";
  /** `dataset`, `sql`, `postgres` */
  readonly type: string;
  /** The nodes whose rows it takes. */
  readonly reads: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly key: readonly string[];
}

/** The result of checking a definition. */
export interface CheckedDefinition {
  /** After an error, only the errors are known. */
  readonly findings: readonly Finding[];
  /** `undefined` after an error. */
  readonly meaning?: DefinitionMeaning | undefined;
}

/** What a definition without errors says. */
export interface DefinitionMeaning {
  readonly name: string;
  readonly form: "pipeline" | "stream";
  readonly job: boolean;
  /** The definition as JSON, in today's form, with its variables by name. */
  readonly document: unknown;
  /** Its resource size, if it has one. */
  readonly size?: ResourceSize;
  /** The ABIs that its queries name by their addresses. */
  readonly abis: readonly FetchedAbi[];
  readonly nodes: readonly TopologyNode[];
  /** The secrets that it names. */
  readonly secrets: readonly string[];
  /** The subgraphs that it reads. */
  readonly subgraphs: readonly { readonly name: string; readonly version: string | undefined }[];
}

/** What a pipeline asks of the server that runs it, always about its own project. */
export interface PipelineHost {
  /** The id of that project. */
  readonly project: string;
  /** The value of a secret; `undefined` if there is none. @throws DatabaseError */
  secret(name: string): Promise<string | undefined>;
  /** The versions and tags of a subgraph. @throws DatabaseError */
  builds(name: string): Promise<readonly NamedBuild[]>;
  /** The names of all subgraphs. @throws DatabaseError */
  subgraphs(): Promise<readonly string[]>;
  /** Whether a version of the project shows a build. @throws DatabaseError */
  shows(deployment: string): Promise<boolean>;
  /** Whether a build is paused under all of its names. @throws DatabaseError */
  isPaused(deployment: string): Promise<boolean>;
}

/** A build under a name. */
export interface NamedBuild {
  readonly version: string;
  readonly deployment: string;
  readonly engine: string;
}

/** What happens to sinks when a definition is applied. */
export interface ComparedSinks {
  /** As for `check`. */
  readonly findings: readonly Finding[];
  /** `undefined` after an error. */
  readonly sinks?: readonly SinkChange[] | undefined;
}

/** A pipeline to run. */
export interface PipelineOrder {
  /** The name under which its sinks keep their positions; no other pipeline has it. */
  readonly flow: string;
  readonly definition: DefinitionText;
  readonly size: ResourceSize;
  /**
   * Where it continues: `continue` at the positions of its sinks, `anew` from the start, or the id of a
   * snapshot. If the rows of a sink are computed differently than before, `reset` empties the sink first, and
   * `recreate` makes its tables again; `settle` empties only sinks that cannot continue.
   */
  readonly begins: string;
  /** That snapshot; `undefined` if it is gone. */
  readonly snapshot?: string | undefined;
  readonly host: PipelineHost;
}

/** How a sink is doing. */
export interface SinkStatus {
  readonly state: "progressing" | "idle" | "stalled" | "ended" | "halted";
  /** Rows that were written since the pipeline started, deletions included. */
  readonly rows: number;
  /** The last block of each source that was written. */
  readonly blocks: Readonly<Record<string, number>>;
  /** Rows that it writes per second, over the last ten seconds. */
  readonly rate?: number;
  /** Blocks between the last written one and the head of the chain, by source, if a head is known. */
  readonly lag?: Readonly<Record<string, number>>;
  /** Why it is stalled or halted, or what is unusual about its idle state. */
  readonly why?: string;
  /** Since when it is idle or stalled, in milliseconds since 1970. */
  readonly since?: number;
  /** When it is tried again, in milliseconds since 1970. */
  readonly retryAt?: number;
  /** Rows that wait because they do not fit. */
  readonly parked?: number;
  /** Keys that no lookup has found since the pipeline started, if it looks rows up. */
  readonly misses?: number;
  /** Rows of topics that Flink has not read yet. */
  readonly waiting?: number;
}

/** The figures of a source or a transform. */
export interface NodeStatus {
  /** Rows that it has returned since the pipeline started, on the way to the sink that gets most of them. */
  readonly rows: number;
  /** Rows that it returns per second, over the last ten seconds. */
  readonly rate: number;
}

/** Rows that were written to a sink since the report before. */
export interface WrittenRows {
  readonly sink: string;
  readonly rows: number;
  readonly batches: number;
  /** From the start of the first batch to the end of the last one. */
  readonly milliseconds: number;
}

/** What a comparison says about a sink. */
export type ComparedSink = SinkDocument;

export type ParkedOfSink = ParkedCount;

/** A line of a pipeline's log. */
export interface PipelineLine {
  readonly level: "error" | "warn" | "info" | "debug";
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
}

/** A row that has passed a node. */
export interface TappedRow {
  /** Inserted, updated or deleted. */
  readonly op: "i" | "u" | "d";
  /** The row as the text of a JSON object; for a deletion, as it was. Long values are cut. */
  readonly json: string;
}

/** Rows that have passed a node. */
export interface TappedRows {
  readonly node: string;
  readonly rows: readonly TappedRow[];
  /** Rows that passed but were left out, since there were too many. */
  readonly dropped: number;
}

/** Hears the events of a running pipeline. */
export interface PipelineHearer {
  /** The check has passed, and the pipeline begins to run. */
  started(meaning: DefinitionMeaning): void;
  state(sink: string, status: SinkStatus): void;
  /** All sources and transforms that have returned rows, by name. */
  nodes(nodes: Readonly<Record<string, NodeStatus>>): void;
  /** Batches were written. */
  written?(written: WrittenRows): void;
  lines(lines: readonly PipelineLine[]): void;
  rows(tapped: TappedRows): void;
}

/** How the run of a pipeline ended. */
export type PipelineEnd =
  /** On request; everything that was begun is written. */
  | { readonly kind: "stopped" }
  /** All sources have ended. */
  | { readonly kind: "completed" }
  | PipelineFailure;

/** Why a pipeline cannot continue. */
export interface PipelineFailure {
  readonly kind: "failed";
  readonly why: string;
  /** Whether a retry may succeed: its process has died, and the definition is not known to be the reason. */
  readonly mayPass?: boolean;
  /** Whether the server's database caused it, which always passes, however often it happens. */
  readonly ofDatabase?: boolean;
}

/** A pipeline that runs. */
export interface RunningPipeline {
  /** Resolves once its process is gone; never rejects. */
  readonly ended: Promise<PipelineEnd>;
  /** Memory of its process in megabytes; `undefined` if unknown, or if the process is gone. */
  memory(): number | undefined;
  /**
   * Ends it after the batch under way; by force if that takes too long.
   * @param job what to do with its job in Flink, if it has one: `pause` by default
   */
  stop(job?: JobFate): Promise<void>;
  /**
   * Shows rows that pass some nodes, a bounded number each second. Nothing waits for the viewers.
   * @param nodes names; none ends it
   */
  tap(nodes: readonly string[]): void;
}

/** The pipeline that will run a checked definition. */
export type PipelineToCome = Pick<PipelineOrder, "flow" | "size">;

/** The Flink that a server drives. */
export interface DrivenFlink {
  readonly gateway: string;
  /** Whether a project has what it takes to use it: a login for its topics, where projects have logins. */
  admits(project: string): boolean;
}

/** Runs the pipelines of a server, each in a process of its own. */
export interface PipelineEngine {
  /** The Flink that runs queries of pipelines; `undefined` if there is none. */
  readonly flink: DrivenFlink | undefined;
  /**
   * Checks a definition as a run would, without touching its sinks.
   * @param signal ends it, with its process
   * @param toCome the pipeline that may run it in a moment: `run` then continues in the process that has checked it
   * @throws Error if its process fails or takes too long; TooMuchWaitingError if its project has too many checks
   * waiting
   */
  check(
    definition: DefinitionText,
    host: PipelineHost,
    signal: AbortSignal,
    toCome?: PipelineToCome,
  ): Promise<CheckedDefinition>;
  /** Starts a pipeline. */
  run(order: PipelineOrder, hear: PipelineHearer): RunningPipeline;
  /**
   * Reads how far the sinks of a pipeline are, whether it runs or not. Nothing is written.
   * @param signal ends it, with its process
   * @returns a snapshot as JSON @throws Error if a sink cannot be read; TooMuchWaitingError as for `check`
   */
  snapshot(order: Omit<PipelineOrder, "begins" | "snapshot">, signal?: AbortSignal): Promise<string>;
  /**
   * Does a task with the state of a pipeline's sinks. The caller gives a writing task only while no other
   * process writes them.
   * @param onProgress gets a sentence about how far it is
   * @param signal ends it
   * @throws Error if it cannot be done, or was ended
   */
  perform(
    order: Omit<PipelineOrder, "begins" | "snapshot">,
    task: PipelineTask,
    onProgress: (text: string) => void,
    signal: AbortSignal,
  ): Promise<PipelineTaskResult>;
  /**
   * Says what happens to the sinks of a pipeline when a definition is applied. Writes nothing.
   * @param signal ends it, with its process
   * @throws Error; TooMuchWaitingError as for `check`
   */
  compare(order: Omit<PipelineOrder, "begins" | "snapshot">, signal: AbortSignal): Promise<ComparedSinks>;
  /** Runs a definition for a time, with its sinks replaced by ones that drop all rows. */
  preview(order: PipelineOrder, hear: PipelineHearer): RunningPipeline;
  /**
   * Pauses the job that a pipeline has left in Flink, though nothing here runs it.
   * @returns the outcome, for the log; `undefined` if there is no job
   * @throws PipelineError if Flink cannot be asked; DatabaseError
   */
  pauseLeftJob(flow: string): Promise<string | undefined>;
  /**
   * Drops the state of a pipeline, such as the positions of webhooks, and its job and topics.
   * @param isGone asked in the transaction that drops it; a new pipeline with its name continues with that
   * state
   * @returns whether there was any state
   * @throws PipelineError if Flink or Kafka cannot be asked; DatabaseError
   */
  forget(flow: string, isGone: (sql: Sql) => Promise<boolean>): Promise<boolean>;
  close(): Promise<void>;
}
