import type { PortReply } from "../../../base/turns/port-calls.js";
import type { Row, SqlFragment, SqlText, TransactionOptions } from "../database.js";

/** The calls over a port. Starting a transaction returns its number. */
export interface DatabaseCalls {
  query(
    statement: SqlFragment,
    parameters: readonly SqlText[],
    transaction?: number,
  ): Promise<readonly Row[]>;
  run(script: SqlFragment, transaction?: number): Promise<void>;
  begin(transaction: number, options: Omit<TransactionOptions, "signal">): Promise<void>;
  commit(transaction: number): Promise<void>;
  rollback(transaction: number): Promise<void>;
  listen(channel: string): Promise<void>;
  unlisten(channel: string): Promise<void>;
}

/** The messages of the serving end. */
export type DatabaseMessage = PortReply<PortFailure> | PortNotice;

/** An error in a form that can cross threads. */
export interface PortFailure {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
}

/** A notification on a channel that the client listens to. */
export interface PortNotice {
  readonly channel: string;
  readonly payload: string;
}
