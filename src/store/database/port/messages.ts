import type { Row, SqlFragment, SqlText, TransactionOptions } from "../database.js";

/** What the other end of a port is asked to do. */
export type PortRequest = { readonly id: number } & PortTask;

export type PortTask =
  | {
      readonly kind: "query";
      /** The transaction it belongs to, by the number that its beginning gave. */
      readonly transaction?: number;
      readonly statement: SqlFragment;
      readonly parameters: readonly SqlText[];
    }
  | { readonly kind: "run"; readonly transaction?: number; readonly script: SqlFragment }
  | { readonly kind: "begin"; readonly transaction: number; readonly options: TransactionOptions }
  | { readonly kind: "commit" | "rollback"; readonly transaction: number }
  | { readonly kind: "listen" | "unlisten"; readonly channel: string };

/** What it answers. */
export type PortReply =
  | { readonly id: number; readonly rows: readonly Row[] }
  | { readonly id: number; readonly error: PortFailure };

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
