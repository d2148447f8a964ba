/**
 * A connection to a MySQL or MariaDB server. Statements run one after the other, in a session whose settings are known:
 * strict, in UTC, with utf8mb4, and with backslashes as escapes.
 */
export interface MysqlDatabase {
  /**
   * Runs a statement.
   * @throws MysqlError, also for a warning: every value is written as given
   */
  run(statement: string): Promise<MysqlAnswer>;
  /**
   * Runs work in a transaction. Commits it if the work succeeds, and rolls it back if the work throws.
   * @throws MysqlError, and what the work throws
   */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

/** Values by the names of columns, as text. */
export type MysqlRow = Readonly<Record<string, string | null>>;

/** The answer to a statement. */
export interface MysqlAnswer {
  readonly rows: readonly MysqlRow[];
  /** Number of rows that a change has met. */
  readonly changed: number;
}

/** The server's error for a statement, or the reason why it could not be reached. */
export class MysqlError extends Error {
  override readonly name = "MysqlError";
  /** SQLSTATE, five characters; `undefined` if the server did not answer. */
  readonly state: string | undefined;
  /** The server's number of the error. */
  readonly number: number | undefined;

  constructor(
    message: string,
    {
      state,
      number,
      cause,
    }: { state?: string | undefined; number?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.state = state;
    this.number = number;
  }
}
