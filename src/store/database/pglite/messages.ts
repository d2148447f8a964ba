import type { PortReply } from "../../../base/turns/port-calls.js";
import type { SqlText } from "../database.js";

/** The thread's calls. It runs one at a time. */
export interface PgliteCalls {
  /** Fulfilled once the folder is open. */
  open(): Promise<void>;
  query(statement: string, parameters: readonly SqlText[]): Promise<PgliteRows>;
  run(script: string): Promise<void>;
  listen(channel: string): Promise<void>;
  unlisten(channel: string): Promise<void>;
  /** The whole database, compressed. */
  image(): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Rows as lists of values. */
export interface PgliteRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlText[])[];
}

/** The thread's messages. */
export type PgliteMessage = PortReply<PgliteFailure> | PgliteNotice;

/** An error in a form that can cross threads. */
export interface PgliteFailure {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
  /** Whether PostgreSQL has given up and would not answer any more calls. */
  readonly isOver: boolean;
}

/** A notification on a channel. */
export interface PgliteNotice {
  readonly channel: string;
  readonly payload: string;
}

/** The thread's start data. */
export interface PgliteStart {
  /** The folder of the data; absent for a database in memory. */
  readonly folder?: string;
  /** The image for a new database. Without it, the database is created from scratch. */
  readonly image?: Uint8Array;
  /** Bytes of its log from one checkpoint to the next. */
  readonly logBytes: number;
}
