/**
 * A database that speaks PostgreSQL's dialect. Values travel in PostgreSQL's text form in both directions, so that
 * numbers of any size, bytes and times are the same with every provider: `numeric` as digits, `bytea` as `\x…`,
 * `boolean` as `t` or `f`.
 */
export interface Database extends Sql {
  readonly provider: "pglite" | "postgres";
  /**
   * Runs work in one transaction on one connection. Commits it if the work succeeds, and rolls it back if the work
   * throws. Within the work, use only the given transaction: PGlite has one connection, so a call to the database would
   * wait for the transaction's end.
   * @throws DatabaseError, and what the work throws
   */
  transaction<Result>(work: (sql: Sql) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Listens to a channel of `notify` until the returned function is called. After a reconnect the listener gets an
   * empty string, because it may have missed messages.
   * @throws DatabaseError
   */
  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>>;
  /** The state of the connection pool, if there is one. */
  connections?(): Connections;
  /**
   * Statements that have waited for a lock for more than a second, the oldest first. Missing where no other session has locks.
   * @throws DatabaseError
   */
  lockWaits?(): Promise<readonly LockWait[]>;
  /**
   * Free bytes on the disk of its folder; `undefined` if the database has no folder or the folder is gone.
   */
  freeBytes?(): number | undefined;
  /** Waits for running statements, then releases everything. */
  close(): Promise<void>;
}

/** The connections to a server. */
export interface Connections {
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  /** The maximum number of connections. */
  readonly most: number;
}

/** A statement that waits for a lock that another session holds. */
export interface LockWait {
  /** When the statement began, in milliseconds since 1970. */
  readonly since: number;
  /** The schema and the name of the locked table; missing if the lock is on something else. */
  readonly schema?: string;
  readonly table?: string;
  /** The server's processes that hold the lock, and the names that their programs go by. */
  readonly holders: readonly { readonly pid: number; readonly program: string }[];
}

/** Something that runs statements: a database, or a transaction in it. */
export interface Sql {
  /**
   * Runs one statement.
   * @param parameters for `$1`, `$2`, …, in text form; write casts in the statement
   * @throws DatabaseError
   */
  query(
    statement: SqlFragment,
    parameters?: readonly SqlText[],
    options?: StatementOptions,
  ): Promise<readonly Row[]>;
  /** Runs a script of statements without parameters. @throws DatabaseError */
  run(script: SqlFragment): Promise<void>;
  /**
   * Runs a `copy … from stdin`. Missing if the provider cannot do this, and outside of transactions.
   * @param content in the format that the statement names, in UTF-8; a piece may be overwritten once the next one is
   * requested
   * @throws DatabaseError, and errors of the content
   */
  copy?(statement: SqlFragment, content: AsyncIterable<Uint8Array>): Promise<void>;
  /** Missing outside of transactions: sends a message to a channel once the transaction has committed (`notify.ts`). */
  notify?(channel: string, payload: string): void;
  /**
   * Milliseconds for which the database did no work for this transaction, because it waited for a lock or was in trouble.
   * Missing unless the transaction is measured.
   */
  waited?(): number;
}

/** Facts about a statement that are known before it is sent. */
export interface StatementOptions {
  /** Its text is one of a few recurring ones, so the server keeps its plan. */
  readonly isFixed?: boolean;
}

export interface TransactionOptions {
  /** Does not write, and reads everything as of its first statement. */
  readonly snapshot?: boolean;
  /**
   * With `snapshot`: the work runs one statement, which sees one moment by itself, so it may run without a
   * transaction.
   */
  readonly isSingle?: boolean;
  /**
   * Milliseconds that a statement may take before it ends with the code 57014. With PGlite this ends the thread, and
   * the folder is opened again. A database in memory is lost.
   */
  readonly statementTimeout?: number;
  /** Whether `waited` is measured, where the provider can. */
  readonly isMeasured?: boolean;
  /**
   * Aborted when the caller no longer wants the result. The transaction then fails with the reason, and no further
   * statement starts. A server ends the running statement; PGlite cannot. The transaction ends with its statement.
   */
  readonly signal?: AbortSignal | undefined;
}

declare const checked: unique symbol;

/**
 * SQL: a statement, or a part of one. A branded type: at run time it is a plain string. It only comes from the tag
 * `SQL`, from quoted names and strings (`quote.ts`), and from scripts that ship with the program.
 */
export type SqlFragment = string & { readonly [checked]: true };

/** A value allowed in a fragment: a fragment, a list of fragments joined by commas, or a count. */
export type SqlPart = SqlFragment | readonly SqlFragment[] | number;

/** The template tag for SQL. @throws RangeError for a number that has another sign than digits */
export function SQL(texts: TemplateStringsArray, ...parts: readonly SqlPart[]): SqlFragment {
  let sql = texts[0] ?? "";
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? "";
    if (typeof part === "string") sql += part;
    else if (typeof part === "object") sql += part.join(", ");
    else sql += digits(part);
    sql += texts[index + 1] ?? "";
  }
  return uncheckedSql(sql);
}

function digits(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`${count} is not a count that SQL can contain`);
  return String(count);
}

/** Joins fragments. @param separator between any two */
export function joinFragments(fragments: readonly SqlFragment[], separator: SqlFragment): SqlFragment {
  return uncheckedSql(fragments.join(separator));
}

/**
 * Treats a string as SQL without a check. Use it only for strings that contain nothing from outside, or were parsed and
 * checked.
 */
export function uncheckedSql(text: string): SqlFragment {
  return text as SqlFragment;
}

/** A value in the database's text form. */
export type SqlText = string | null;

/** Values by the names of columns. */
export type Row = Readonly<Record<string, SqlText>>;

/** The database's error for a statement, or the reason why it could not be reached. */
export class DatabaseError extends Error {
  /** SQLSTATE, five characters; `undefined` if the database did not answer. */
  readonly code: string | undefined;
  /** The database's own hint. */
  readonly hint: string | undefined;

  constructor(
    message: string,
    { code, hint, cause }: { code?: string; hint?: string; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.name = "DatabaseError";
    this.code = code;
    this.hint = hint;
  }
}
