/**
 * A database in the dialect of PostgreSQL. Values travel in its own text form in both directions, so that numbers of
 * any size, bytes and times are the same whichever provider answers: `numeric` as digits, `bytea` as `\x…`,
 * `boolean` as `t` or `f`.
 */
export interface Database extends Sql {
  readonly provider: "pglite" | "postgres";
  /**
   * Runs work in one transaction on one connection: committed when it ends well, rolled back when it throws. Within
   * the work, ask nobody but what it is given: PGlite has one connection, and who asks the database waits for the end.
   * @throws DatabaseError, and what the work throws
   */
  transaction<Result>(work: (sql: Sql) => Promise<Result>, options?: TransactionOptions): Promise<Result>;
  /**
   * Hears what is sent to a channel with `notify` until the function given back is called. After a connection was lost
   * and made again it hears an empty text, since something may have been sent in the meantime.
   * @throws DatabaseError
   */
  listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>>;
  /** How many connections there are, where they are several. */
  connections?(): Connections;
  /** Bytes that are free on the disk of its folder; nothing of a database that lies elsewhere, or is gone. */
  freeBytes?(): number | undefined;
  /** Lets statements that run end, then gives everything back. */
  close(): Promise<void>;
}

/** The connections to a server. */
export interface Connections {
  readonly used: number;
  readonly idle: number;
  /** Those who wait for one. */
  readonly waiting: number;
  /** As many as there may be. */
  readonly most: number;
}

/** Where statements can be sent: a database, or a transaction in it. */
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
}

/** What is known of a statement before it is sent. */
export interface StatementOptions {
  /** Its text is one of a few that come again and again: a server is told to keep how it is run. */
  readonly isFixed?: boolean;
}

/** How a transaction works. */
export interface TransactionOptions {
  /** Nothing is written, and everything is read as of its first statement. */
  readonly snapshot?: boolean;
  /**
   * Milliseconds that a statement may take; it ends with the code 57014 then. With PGlite the thread ends with it, and
   * the folder is opened again; a database in memory is gone then.
   */
  readonly statementTimeout?: number;
}

declare const checked: unique symbol;

/**
 * SQL: a statement, or a part of one. A branded type: at run time a plain text, which only comes from the tag `SQL`, from
 * names and texts that were quoted (`quote.ts`), and from scripts that come with the program.
 */
export type SqlFragment = string & { readonly [checked]: true };

/** What can stand in a fragment: another one, some with commas between them, a count. */
export type SqlPart = SqlFragment | readonly SqlFragment[] | number;

/** The tag of templates that are SQL. @throws RangeError for a number that has another sign than digits */
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

/** Fragments one after the other. @param separator between any two */
export function joinFragments(fragments: readonly SqlFragment[], separator: SqlFragment): SqlFragment {
  return uncheckedSql(fragments.join(separator));
}

/** Takes a text for SQL, unseen: only for what is made of nothing that comes from outside, or was read and checked. */
export function uncheckedSql(text: string): SqlFragment {
  return text as SqlFragment;
}

/** A value in the database's text form. */
export type SqlText = string | null;

/** Values by the names of columns. */
export type Row = Readonly<Record<string, SqlText>>;

/** What a database answered instead of doing what it was asked to, or that it could not be reached. */
export class DatabaseError extends Error {
  /** SQLSTATE, five characters; nothing when the database did not answer. */
  readonly code: string | undefined;
  /** What the database proposes. */
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
