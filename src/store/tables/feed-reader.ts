import { type Database, SQL, type Sql, type SqlFragment } from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { changeLogName } from "./create-tables.js";
import type { Cursor } from "./feed.js";

/** A reader of a deployment's change log. */
export interface FeedReaderOptions {
  readonly database: Database;
  /** The deployment's number. */
  readonly deployment: number;
  /** The database schema of the deployment. */
  readonly namespace: string;
  /** The reader's name, the same after a restart. */
  readonly name: string;
}

/** A named reader of a deployment's change log: changes that it has not confirmed stay in the log. */
export class FeedReader {
  readonly log: SqlFragment;
  readonly #options: FeedReaderOptions;

  constructor(options: FeedReaderOptions) {
    this.#options = options;
    this.log = quoteNames(options.namespace, changeLogName);
  }

  /** What it has confirmed; `undefined` if it is not registered. @throws DatabaseError */
  async cursor(sql: Sql = this.#options.database): Promise<Cursor | undefined> {
    const [row] = await sql.query(
      SQL`select seq from graphloom.feed_readers where deployment = $1::integer and name = $2::text`,
      this.#own,
    );
    return row && cursorOf(row.seq);
  }

  /**
   * Registers it, in a transaction that has locked the row of the deployment, so that every later change is in the log.
   * @param seq the last number that the log has assigned
   */
  async register(sql: Sql, seq: string | null): Promise<void> {
    await sql.query(
      SQL`insert into graphloom.feed_readers (deployment, name, seq) values ($1::integer, $2::text, $3::bigint)
        on conflict (deployment, name) do update set seq = excluded.seq`,
      [...this.#own, seq],
    );
    await this.#trim(sql);
  }

  /** Confirms everything up to a position. @throws DatabaseError */
  async keep(cursor: Cursor): Promise<void> {
    await this.#options.database.transaction((sql) => this.keepWithin(sql, cursor));
  }

  /** The same within a transaction, which may prove that the position is one of this database. @throws DatabaseError */
  async keepWithin(sql: Sql, cursor: Cursor): Promise<void> {
    await sql.query(
      SQL`update graphloom.feed_readers set seq = greatest(seq, $3::bigint)
        where deployment = $1::integer and name = $2::text`,
      [...this.#own, cursor],
    );
    await this.#trim(sql);
  }

  /** Removes it for good. @throws DatabaseError */
  async end(): Promise<void> {
    await this.#options.database.transaction(async (sql) => {
      await sql.query(
        SQL`delete from graphloom.feed_readers where deployment = $1::integer and name = $2::text`,
        this.#own,
      );
      await this.#trim(sql);
    });
  }

  get #own(): readonly [string, string] {
    return [String(this.#options.deployment), this.#options.name];
  }

  async #trim(sql: Sql): Promise<void> {
    await sql.query(
      SQL`delete from ${this.log} where seq <= coalesce((
        select min(seq) from graphloom.feed_readers where deployment = $1::integer), 9223372036854775807)`,
      [String(this.#options.deployment)],
    );
  }
}

/** A number of the log as a position, padded to the digits of the largest. */
export function cursorOf(seq: string | null | undefined): Cursor {
  return (seq ?? "0").padStart(19, "0");
}
