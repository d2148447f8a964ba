import type { SqlText } from "../database.js";

/** What the thread is asked to do. */
export type PgliteRequest = { readonly id: number } & PgliteTask;

export type PgliteTask =
  | { readonly kind: "query"; readonly statement: string; readonly parameters: readonly SqlText[] }
  | { readonly kind: "run"; readonly script: string }
  | { readonly kind: "listen" | "unlisten"; readonly channel: string }
  /** To tell of an image before the answer. */
  | { readonly kind: "image" }
  | { readonly kind: "close" };

/** What the thread answers: rows as lists of values, or what went wrong. */
export type PgliteReply =
  | {
      readonly id: number;
      readonly columns: readonly string[];
      readonly rows: readonly (readonly SqlText[])[];
    }
  | { readonly id: number; readonly error: PgliteFailure };

/** An error as it crosses threads. */
export interface PgliteFailure {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  /** Whether nothing can be asked any more: PostgreSQL has given up, and would not answer. */
  readonly isOver: boolean;
}

/** What somebody sent to a channel. */
export interface PgliteNotice {
  readonly channel: string;
  readonly payload: string;
}

/** What the thread is started with. */
export interface PgliteStart {
  /** Where the data lies on the disk; nothing for memory. */
  readonly folder?: string;
  /** What to begin a new database with, which is made otherwise. */
  readonly image?: Uint8Array;
  /** Bytes of its log from one checkpoint to the next. */
  readonly logBytes: number;
}

/** All that a database is made of. */
export interface PgliteImage {
  readonly image: Uint8Array;
}

/** The answer to being started has this id. */
export const startId = 0;
