import type { MessagePort } from "node:worker_threads";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { SourcePlace } from "../../runtime/sources/create-source.js";
import type { DeploymentError } from "../../store/deployments/health.js";
import type { LogLine } from "../../store/logs/log-line.js";
import type { BuiltFiles } from "../../subgraph/runnable/built-subgraph.js";

/** The start data of a thread. */
export interface ThreadStart {
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  readonly build: BuiltFiles;
  readonly database:
    | { readonly kind: "port"; readonly port: MessagePort }
    | { readonly kind: "postgres"; readonly address: string };
  /** The port to the nodes of the network and to files. */
  readonly nodes: MessagePort;
  /** The port to the files of the archive, if there is one. */
  readonly archive: MessagePort | undefined;
  /** The node's name in messages: an address without secrets. */
  readonly nodeName: string;
  /** A service with the history of its network, and the port to the turns at it. */
  readonly history: { readonly place: SourcePlace; readonly turns: MessagePort } | undefined;
  /** Whether an IPFS gateway is configured. */
  readonly hasIpfs: boolean;
  /** How lists of logs are verified. */
  readonly verify: VerifyMode;
  /** Whether new deployments keep proofs of indexing. */
  readonly proofs: boolean;
  /** Shows that it is alive, even while a handler blocks it: see `Pulse`. */
  readonly pulse: SharedArrayBuffer;
  /** Whether it may run handlers: see `HandlerTurns`. */
  readonly turn: SharedArrayBuffer;
}

export type ThreadNews =
  /** It starts, or restarts, after the last block in the database; null before the first. */
  | { readonly kind: "begun"; readonly block: number | undefined }
  /** It has reached the chain's head. */
  | { readonly kind: "caught-up" }
  /** The last block in the database; null before the first. And the time since the write before, without waits. */
  | { readonly kind: "written"; readonly block: number | undefined; readonly milliseconds: number }
  | { readonly kind: "progress"; readonly handlers: number; readonly now: number }
  | { readonly kind: "lines"; readonly lines: readonly LogLine[] }
  /** The number of a handler in the pulse. */
  | { readonly kind: "handler"; readonly number: number; readonly of: NamedHandler }
  /** It cannot continue for now and will retry. */
  | {
      readonly kind: "waiting";
      readonly why: string;
      /** Whether the reason is that the database is not writable. */
      readonly isUnwritable?: boolean;
    }
  /** A block has failed, which the database records, and will be retried. */
  | { readonly kind: "failing" }
  /** It asks whether it may read the entities of a deployment, and waits for the answer. */
  | { readonly kind: "may-read"; readonly other: string }
  /** It waits for a turn to run handlers, or has returned its own. */
  | { readonly kind: "turn"; readonly isOver: boolean }
  | { readonly kind: "ended"; readonly end: ThreadEnd };

/** The outcome of a thread's work. */
export type ThreadEnd =
  /** It stopped on request, and everything is written. */
  | { readonly kind: "stopped" }
  /** Nothing is left to index, because all data sources have ended. */
  | { readonly kind: "finished" }
  /** A handler of a subgraph with non-fatal errors failed before it was near the chain's head. */
  | { readonly kind: "halted" }
  /** The deployment was removed. */
  | { readonly kind: "removed" }
  /** `isRecorded` if the store has recorded it in the catalog, as for a handler's failure. */
  | { readonly kind: "failed"; readonly error: DeploymentError; readonly isRecorded: boolean };

/** A handler, and its description for failures. */
export type NamedHandler = Required<Pick<DeploymentError, "handler" | "source">>;

/** A message to a thread: a request to stop at a block, its turn to run handlers, or an answer. */
export type ThreadOrder = "stop" | "turn" | ReadAnswer;

/** Whether a thread may read the entities of a deployment, or why that is unknown for now. */
export type ReadAnswer = { readonly mayRead: boolean } | { readonly problem: string };
