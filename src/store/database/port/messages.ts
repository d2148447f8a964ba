import type { PortReply } from "../../../base/port-calls.js";
import type { Row, SqlFragment, SqlText, TransactionOptions } from "../database.js";

/** What the other end of a port does. Transactions have numbers that their beginning gives them. */
export interface DatabaseCalls {
  query(
    statement: SqlFragment,
    parameters: readonly SqlText[],
    transaction?: number,
  ): Promise<readonly Row[]>;
  run(script: SqlFragment, transaction?: number): Promise<void>;
  begin(transaction: number, options: TransactionOptions): Promise<void>;
  commit(transaction: number): Promise<void>;
  rollback(transaction: number): Promise<void>;
  listen(channel: string): Promise<void>;
  unlisten(channel: string): Promise<void>;
}

/** What it sends. */
export type DatabaseMessage = PortReply<PortFailure> | PortNotice;

/** An error as it crosses threads. */
export interface PortFailure {
  readonly message: string;
  readonly code?: string;
  readonly hint?: string;
}

/** What somebody sent to a channel that is listened to. */
export interface PortNotice {
  readonly channel: string;
  readonly payload: string;
}
