import type { MessagePort } from "node:worker_threads";
import type { VerifyMode } from "../../runtime/indexer/verification.js";
import type { DeploymentError } from "../../store/deployments/health.js";
import type { BuiltFiles } from "../../subgraph/runnable/built-subgraph.js";
import type { HostedLine } from "../engine.js";

/** What a thread is started with. */
export interface ThreadStart {
  /** The IPFS hash of the manifest. */
  readonly deployment: string;
  readonly build: BuiltFiles;
  readonly database:
    | { readonly kind: "port"; readonly port: MessagePort }
    | { readonly kind: "postgres"; readonly address: string };
  /** Leads to the nodes of the network, and to files. */
  readonly nodes: MessagePort;
  /** What messages may call the node: an address without its secrets. */
  readonly nodeName: string;
  /** Whether there is a gateway to IPFS. */
  readonly hasFiles: boolean;
  /** How lists of logs are proved. */
  readonly verify: VerifyMode;
  /** How it shows that it is alive, even while a handler holds it up: see `Pulse`. */
  readonly pulse: SharedArrayBuffer;
}

/** What a thread tells. */
export type ThreadNews =
  /** It begins, or begins again, after the last block that is in the database; nothing before the first. */
  | { readonly kind: "begun"; readonly block: number | undefined }
  /** It has come to the chain's head. */
  | { readonly kind: "caught-up" }
  /** The last block that is in the database; nothing before the first. */
  | { readonly kind: "written"; readonly block: number | undefined }
  | { readonly kind: "progress"; readonly handlers: number; readonly now: number }
  | { readonly kind: "lines"; readonly lines: readonly HostedLine[] }
  /** A number that stands for a handler of a data source or template in the pulse. */
  | { readonly kind: "handler"; readonly number: number; readonly of: NamedHandler }
  /** It cannot go on for now, and tries again. */
  | {
      readonly kind: "waiting";
      readonly why: string;
      /** Whether it is because the database cannot be written. */
      readonly isUnwritable?: boolean;
    }
  /** A block has failed, which is in the database, and is tried again. */
  | { readonly kind: "failing" }
  /** It asks whether it may take the entities of a deployment over, and waits for the answer. */
  | { readonly kind: "graft"; readonly base: string }
  | { readonly kind: "ended"; readonly end: ThreadEnd };

/** How the work of a thread ended. */
export type ThreadEnd =
  /** As it was asked to: all it has done is written. */
  | { readonly kind: "stopped" }
  /** There is nothing more to index: all data sources have ended. */
  | { readonly kind: "finished" }
  /** A handler failed before the subgraph, which bears that, was near the chain's head. */
  | { readonly kind: "halted" }
  /** Somebody has removed the deployment. */
  | { readonly kind: "removed" }
  /** `isRecorded` where the store has it in the catalog: what a handler did. */
  | { readonly kind: "failed"; readonly error: DeploymentError; readonly isRecorded: boolean };

/** A handler, and what is said of it when it fails. */
export type NamedHandler = Required<Pick<DeploymentError, "handler" | "source">>;

/** What a thread is asked, to end at a block, or answered. */
export type ThreadOrder = "stop" | GraftAnswer;

/** Whether a thread may take the entities of a deployment over, or why that is not known for now. */
export type GraftAnswer = { readonly mayGraft: boolean } | { readonly problem: string };
