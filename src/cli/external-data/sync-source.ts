import type { WindowSource } from "../../datasets/sync/window-source.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";

/** Where the rows of a dataset come from: a node, an archive or a server. */
export interface SyncSource {
  readonly identity: ChainIdentity;
  /** The chain head. */
  readonly newest: number;
  /** The newest block that no reorganisation replaces; `undefined` if there is none yet. */
  readonly final: number | undefined;
  readonly windows: WindowSource;
  /** Called after each file. */
  written(): Promise<void>;
  /** Called when the current file is left out. */
  abandon(): Promise<void>;
  /** The number of requests sent so far. @param isLimited whether the limit was reached */
  requests(isLimited: boolean): number;
  /** Logs that the node left out. */
  leftOut(): number;
}

/** The dependencies of a source besides its address. */
export interface SourceNeeds {
  /** Milliseconds of retries. */
  readonly patience: number;
  readonly signal: AbortSignal;
  /** Called when the source waits before a retry. */
  onRetry(why: string, wait: number): void;
  /** Prints a line. */
  say(text: string): void;
}
