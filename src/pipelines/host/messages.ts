import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { SourcePlace } from "../../runtime/sources/create-source.js";
import type { JobFate } from "../flink/job/job-driver.js";
import type { FlinkPlace } from "./flink/flink-place.js";
import type {
  CheckedDefinition,
  ComparedSinks,
  DefinitionMeaning,
  DefinitionText,
  NodeStatus,
  PipelineEnd,
  PipelineHost,
  PipelineLine,
  PipelineTask,
  PipelineTaskResult,
  SinkStatus,
  TappedRows,
  WrittenRows,
} from "./pipeline-engine.js";
import type { ResourceLimits } from "./resource-sizes.js";

/** The channel on which a process is started, and then says how it is doing. */
export const orderChannel = 1;

/** The nodes of a network, behind a channel. */
export interface NetworkChannel {
  readonly network: string;
  /** The nodes' name in messages: an address without secrets. */
  readonly name: string;
  readonly channel: number;
  /** A service with the history of the network, and the channel to the turns at it. */
  readonly history?: { readonly place: SourcePlace; readonly channel: number };
}

/** What a process is started with. Numbers name channels. */
export interface PipelineStart {
  /**
   * `check` ends after checking the definition; `preview` drops all rows; `snapshot` reads how far sinks are; `task`
   * does something with their state, and `compare` reports how their rows were computed.
   */
  readonly mode: "check" | "run" | "preview" | "snapshot" | "task" | "compare";
  /** In the mode of that name. */
  readonly task?: PipelineTask | undefined;
  readonly flow: string;
  readonly definition: DefinitionText;
  /** Whether it tells what it found once the definition was checked, and then waits for `go` with where it continues. */
  readonly waits: boolean;
  /** As in an order. */
  readonly begins: string;
  /** As in an order. */
  readonly snapshot: string | undefined;
  readonly limits: ResourceLimits;
  readonly database:
    | { readonly kind: "channel"; readonly channel: number }
    | { readonly kind: "postgres"; readonly address: string };
  /** Answers the calls of `PipelineHost`. */
  readonly host: number;
  readonly networks: readonly NetworkChannel[];
  /** The archive's files, and their folder for the SQL engine, which reads them by itself. */
  readonly archive: { readonly channel: number; readonly folder: string | undefined } | undefined;
  readonly verify: VerifyMode;
  /** Which private addresses its requests and connections may reach. */
  readonly reach: { readonly allowsPrivate: boolean; readonly listed: readonly string[] };
  /** Where Flink runs its queries, if it asks for that and the server drives one; `no-login` if its project has none. */
  readonly flink: FlinkPlace | "no-login" | undefined;
  /** The folder under which `file` sinks write, absolute; `undefined` if there is none. */
  readonly files: string | undefined;
  /** Megabytes that this folder may have, with the files of all pipelines of the project. */
  readonly filesMegabytes: number;
}

/** The functions of `PipelineHost`, over a channel. */
export interface HostCalls {
  secret: PipelineHost["secret"];
  builds: PipelineHost["builds"];
  subgraphs: PipelineHost["subgraphs"];
  shows: PipelineHost["shows"];
  isPaused: PipelineHost["isPaused"];
}

/** Why a call of `PipelineHost` failed. */
export interface HostFailure {
  readonly message: string;
  /** Whether the server's database was in trouble, so that the same call may succeed later. */
  readonly ofDatabase: boolean;
}

/** The messages from a process. */
export type PipelineNews =
  | { readonly kind: "checked"; readonly checked: CheckedDefinition }
  | { readonly kind: "started"; readonly meaning: DefinitionMeaning }
  | { readonly kind: "state"; readonly sink: string; readonly status: SinkStatus }
  | { readonly kind: "nodes"; readonly nodes: Readonly<Record<string, NodeStatus>> }
  | { readonly kind: "written"; readonly written: WrittenRows }
  /** It was not allowed to connect to a place. */
  | { readonly kind: "refused"; readonly place: string; readonly why: string }
  | { readonly kind: "lines"; readonly lines: readonly PipelineLine[] }
  | { readonly kind: "rows"; readonly tapped: TappedRows }
  /** A snapshot as JSON. */
  | { readonly kind: "snapshot"; readonly text: string }
  /** How far a task is. */
  | { readonly kind: "progress"; readonly text: string }
  | { readonly kind: "performed"; readonly result: PipelineTaskResult }
  | { readonly kind: "compared"; readonly compared: ComparedSinks }
  /** A failure for the server's log, with its stack. */
  | { readonly kind: "failure"; readonly stack: string }
  | { readonly kind: "ended"; readonly end: PipelineEnd };

/** The messages to a process. */
export type PipelineOrderMessage =
  | { readonly kind: "start"; readonly start: PipelineStart }
  | ({ readonly kind: "go" } & Pick<PipelineStart, "begins" | "snapshot">)
  | { readonly kind: "stop"; readonly job: JobFate }
  | { readonly kind: "tap"; readonly nodes: readonly string[] };
