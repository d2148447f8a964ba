import type { PortReply } from "../../../base/port-calls.js";
import type { SqlText } from "../database.js";

/** What the thread does, one call after the other. */
export interface PgliteCalls {
  /** Fulfilled once the folder is open. */
  open(): Promise<void>;
  query(statement: string, parameters: readonly SqlText[]): Promise<PgliteRows>;
  run(script: string): Promise<void>;
  listen(channel: string): Promise<void>;
  unlisten(channel: string): Promise<void>;
  /** All that the database is made of, compressed. */
  image(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Rows as lists of values. */
export interface PgliteRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlText[])[];
}

/** What the thread sends. */
export type PgliteMessage = PortReply<PgliteFailure> | PgliteNotice;

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
