import { certificateFaultOf } from "../../base/certificate-fault.js";
import type { ServerTls } from "../../base/server-tls.js";

/** A row of an answer, by column. */
export type ClickHouseRow = Readonly<Record<string, unknown>>;

/** Where a ClickHouse server is, and who asks it. */
export interface ClickHouseAddress {
  /** `http://` or `https://`, with host and port. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** The database of tables that are named without one. */
  readonly database: string;
  /** How its certificate is checked, over `https://`; fully by default. */
  readonly tls?: ServerTls | undefined;
}

/** A ClickHouse server, asked over HTTP. Every method throws ClickHouseError. */
export interface ClickHouse {
  /** The rows of a query. @param parameters values of `{name:Type}` in it */
  query(sql: string, parameters?: Readonly<Record<string, string>>): Promise<readonly ClickHouseRow[]>;
  /** Runs a statement that has no rows. @param id names it in `system.processes` while it runs */
  run(sql: string, parameters?: Readonly<Record<string, string>>, id?: string): Promise<void>;
  /**
   * Inserts rows, and returns when they are there.
   * @param sql ends with the format of the rows
   * @param rows pieces, which may change once the next one is asked for; what they throw is thrown as it is
   * @param id names the insert in `system.processes` while it runs
   * @param settings of the server, for this insert
   */
  insert(
    sql: string,
    rows: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    id: string,
    settings?: Readonly<Record<string, string>>,
  ): Promise<void>;
  close(): Promise<void>;
}

/** Errors that have nothing to do with the statement: limits, replication, shutdown. */
const temporary: ReadonlySet<number> = new Set([
  159, 164, 202, 203, 209, 210, 225, 236, 241, 242, 243, 252, 279, 285, 286, 289, 319, 394, 425, 439, 999,
]);

/** A statement that a ClickHouse server refuses, or a server that does not answer. */
export class ClickHouseError extends Error {
  override readonly name = "ClickHouseError";
  /** The server's number of the error; `undefined` if it has not answered. */
  readonly code: number | undefined;
  /** Whether the server took the statement, but did not answer in time. */
  readonly isSilent: boolean;

  constructor(
    message: string,
    code: number | undefined,
    options: ErrorOptions & { readonly isSilent?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isSilent = options.isSilent ?? false;
  }

  /** Whether the same statement may succeed later. */
  get isTemporary(): boolean {
    if (this.code !== undefined) return temporary.has(this.code);
    return certificateFaultOf(this) === undefined;
  }
}

/** A name in SQL. */
export function quotedName(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}
