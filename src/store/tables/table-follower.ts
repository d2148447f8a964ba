import {
  type Database,
  DatabaseError,
  type Row,
  SQL,
  type Sql,
  type SqlFragment,
} from "../database/database.js";
import { quoteNames } from "../database/quote.js";
import { changeOf } from "./change-of.js";
import type { Cursor, RowChange } from "./feed.js";
import { cursorOf, FeedReader } from "./feed-reader.js";
import type { EntityTable, Layout } from "./layout.js";
import { rowJson } from "./row-json.js";
import { versionsSql } from "./versions-sql.js";

/** How far a follower is. Store it together with the result of the rows and changes. */
export interface TablePlace {
  /** Changes up to this number were taken or are not needed. */
  readonly seq: Cursor;
  /** The vid of the last row taken; absent once all rows are. Changes of later rows are not needed. */
  readonly after?: string;
  /** For a follower that skipped the rows which existed when it began: versions up to this vid may be among them. */
  readonly since?: string;
  /** For a follower that reads only final blocks. */
  readonly final?: {
    /** The last block whose changes are taken. */
    readonly block: number;
    /** The last number of the log at that block; absent until the block where the follower began is final. */
    readonly seen?: Cursor;
  };
}

/** A version of an entity: a row, and the blocks in which it is valid. */
export interface Version {
  /** vid and fields by column name, in the database's text form. */
  readonly row: Row;
  readonly from: number;
  /** The first block in which it is no longer valid; absent while it is. */
  readonly to?: number;
}

/** What a follower reads in one step: first the changes of versions up to `before.after`, then the versions. */
export interface TableStep {
  readonly place: TablePlace;
  readonly changes: readonly RowChange[];
  /** Rows that were not read before. */
  readonly versions: readonly Version[];
  /** Whether this is everything at the moment. */
  readonly isAll: boolean;
  /** The block that this leads to, once everything is read; absent before the first block. */
  readonly block: number | undefined;
  /** Why the deployment is no longer indexed. */
  readonly failure: string | undefined;
}

/** A part of what a follower has taken. */
export type TakenPart =
  | { readonly kind: "versions"; readonly versions: readonly Version[] }
  /** Later changes, newest first: undo them in the versions. */
  | { readonly kind: "later"; readonly changes: readonly RowChange[] };

/** The deployment and the table to follow. */
export interface TableFollowerOptions {
  readonly database: Database;
  /** The deployment's number. */
  readonly deployment: number;
  readonly layout: Layout;
  readonly table: EntityTable;
  /** The reader's name, the same after a restart. */
  readonly reader: string;
  /** Whether to include ended versions. */
  readonly withHistory: boolean;
  /** How many blocks a final one is behind the head; absent to read every block at once. */
  readonly depth?: number | undefined;
  /** The most changes, and the most rows, of a step. */
  readonly limit?: number;
}

/** The changes that a follower has not read are lost. */
export class FeedCut extends Error {
  override readonly name = "FeedCut";
}

/** The state of a deployment and of its reader. */
interface State {
  readonly seq: Cursor;
  readonly head: number | undefined;
  readonly earliest: number | undefined;
  readonly failure: string | undefined;
}

const usualLimit = 2_000;

/**
 * Takes the rows of a table page by page, and the changes of rows that it has taken. The rows need not be as of one
 * block meanwhile: a row that changes before its page is read is taken in its new form. So a follower is never too
 * late, even after reorganisations, and in the end it has taken the whole table.
 */
export class TableFollower {
  readonly #options: TableFollowerOptions;
  readonly #reader: FeedReader;
  readonly #limit: number;

  constructor(options: TableFollowerOptions) {
    this.#options = options;
    const { database, deployment, layout, reader, limit = usualLimit } = options;
    this.#reader = new FeedReader({ database, deployment, namespace: layout.namespace, name: reader });
    this.#limit = limit;
  }

  /**
   * Starts keeping the changes.
   * @param withRows whether to take the rows that exist, before changes
   * @throws FeedCut if the deployment is gone; DatabaseError
   */
  async begin(withRows: boolean): Promise<TablePlace> {
    const { database, deployment, depth } = this.#options;
    return database.transaction(async (sql) => {
      // Writers wait for the same row, so every later change is in the log.
      const [row] = await sql.query(
        SQL`select feed_seq, head_number from graphloom.deployments where id = $1::integer for update`,
        [String(deployment)],
      );
      if (!row) throw deleted();
      await this.#reader.register(sql, row.feed_seq ?? null);
      const block = Number(row.head_number ?? -1);
      return {
        seq: cursorOf(row.feed_seq),
        ...(withRows ? { after: "-1" } : { since: String((BigInt(block + 1) << 32n) - 1n) }),
        ...(depth !== undefined && { final: { block } }),
      };
    });
  }

  /**
   * Takes what follows a place.
   * @throws FeedCut if something that follows it is gone; DatabaseError
   */
  async step(place: TablePlace): Promise<TableStep> {
    try {
      return await this.#options.database.transaction(
        async (sql) => {
          const state = await this.#state(sql, place);
          return place.final ? this.#final(sql, place, state) : this.#newest(sql, place, state);
        },
        { snapshot: true },
      );
    } catch (error) {
      // Dropping a deployment drops its schema.
      throw error instanceof DatabaseError && /^(?:3F000|42P01)$/.test(error.code ?? "") ? deleted() : error;
    }
  }

  /**
   * Returns what a follower has taken at a place, as it was then, part by part. Leaves out versions that may be older
   * than the follower, if it skipped those.
   * @returns the block up to which ended versions may be gone, if any
   * @throws FeedCut if that is no longer known; DatabaseError
   */
  async taken(
    place: TablePlace,
    take: (part: TakenPart) => Promise<void>,
  ): Promise<{ readonly pruned: number | undefined }> {
    const { final, since = "-1", after: end } = place;
    const { table, withHistory } = this.#options;
    return this.#options.database.transaction(
      async (sql) => {
        const { head, earliest } = await this.#state(sql, place);
        const pruned = table.immutable ? undefined : earliest;
        if (final && final.seen === undefined) return { pruned: undefined };
        if (final && pruned !== undefined && pruned > final.block)
          throw new FeedCut(
            `Rows of block ${final.block} are needed, and its history was pruned up to block ${pruned}.`,
          );
        for (let after: string | undefined = since; after !== undefined; ) {
          const page = await this.#page(sql, after, head, final?.block, end);
          if (page.versions.length > 0) await take({ kind: "versions", versions: page.versions });
          after = page.after;
        }
        if (!final) await this.#later(sql, place, take);
        return { pruned: withHistory ? pruned : undefined };
      },
      { snapshot: true },
    );
  }

  /** Passes on the changes after a place, newest first. */
  async #later(sql: Sql, { seq }: TablePlace, take: (part: TakenPart) => Promise<void>): Promise<void> {
    for (let until: Cursor | undefined; ; ) {
      const changes: readonly RowChange[] = await this.#changes(
        sql,
        SQL`seq > $2::bigint and seq < coalesce($3::bigint, 9223372036854775807) order by seq desc limit ${this.#limit}`,
        [seq, until ?? null],
      );
      if (changes.length > 0) await take({ kind: "later", changes });
      until = changes.at(-1)?.cursor;
      if (changes.length < this.#limit) return;
    }
  }

  /** Releases the changes before a place, in a transaction. @throws DatabaseError */
  keep({ seq }: TablePlace, sql: Sql): Promise<void> {
    return this.#reader.keepWithin(sql, seq);
  }

  /** Releases all changes, for good. @throws DatabaseError */
  end(): Promise<void> {
    return this.#reader.end();
  }

  async #state(sql: Sql, { seq }: TablePlace): Promise<State> {
    const { deployment, reader } = this.#options;
    const [row] = await sql.query(
      SQL`select d.feed_seq, d.head_number, case when d.earliest_block > d.start_block then d.earliest_block end as earliest,
          d.fatal_error ->> 'message' as failure, r.seq as kept
        from graphloom.deployments d left join graphloom.feed_readers r on r.deployment = d.id and r.name = $2::text
        where d.id = $1::integer`,
      [String(deployment), reader],
    );
    if (!row) throw deleted();
    if (row.kept == null) throw new FeedCut("Its changes were not kept, because the reader was removed.");
    if (cursorOf(row.kept) > seq)
      throw new FeedCut("Changes that were not read yet are gone, because they were confirmed elsewhere.");
    return {
      seq: cursorOf(row.feed_seq),
      head: row.head_number == null ? undefined : Number(row.head_number),
      earliest: row.earliest == null ? undefined : Number(row.earliest),
      failure: row.failure ?? undefined,
    };
  }

  async #newest(sql: Sql, place: TablePlace, { seq, head, failure }: State): Promise<TableStep> {
    const changes = await this.#changes(sql, SQL`seq > $2::bigint order by seq limit ${this.#limit}`, [
      place.seq,
    ]);
    const last = changes.at(-1);
    if (last && changes.length === this.#limit)
      return {
        changes,
        versions: [],
        isAll: false,
        failure,
        block: last.block,
        place: { ...place, seq: last.cursor },
      };
    const { versions, after } = await this.#page(sql, place.after, head);
    return {
      changes,
      versions,
      failure,
      block: head,
      isAll: after === undefined,
      place: { seq, ...(after !== undefined && { after }), ...sinceOf(place) },
    };
  }

  /**
   * Takes the changes of blocks that have become final. Everything that happened to a block before that, including
   * the reorganisation that undid it, is taken in one step, so that it cancels out.
   */
  async #final(sql: Sql, place: TablePlace, state: State): Promise<TableStep> {
    const { depth = 0 } = this.#options;
    const { block: taken, seen } = place.final ?? { block: -1 };
    const { failure } = state;
    const final = (state.head ?? -1) - depth;
    if (final < taken) return { place, changes: [], versions: [], isAll: true, block: undefined, failure };
    if (seen !== undefined) await this.#refuseDeep(sql, taken, seen);
    const until = await this.#until(sql, taken, final);
    const changes = await this.#changes(sql, SQL`block > $2::integer and block <= $3::integer order by seq`, [
      String(taken),
      String(until),
    ]);
    const isNext = until === final;
    if (isNext && place.after !== undefined && (state.earliest ?? 0) > final)
      throw new FeedCut(
        `Rows of block ${final} are needed, and its history was pruned up to block ${state.earliest}.`,
      );
    const page = isNext
      ? await this.#page(sql, place.after, final, final)
      : { versions: [], after: place.after };
    return {
      changes,
      versions: page.versions,
      failure,
      block: until,
      isAll: isNext && page.after === undefined,
      place: {
        seq: await this.#unneeded(sql, until, state.seq),
        ...(page.after !== undefined && { after: page.after }),
        ...sinceOf(place),
        final: { block: until, seen: state.seq },
      },
    };
  }

  /**
   * A deployment that is rewound reverts final blocks, too. This is of no importance if they then have the same changes
   * again.
   */
  async #refuseDeep(sql: Sql, block: number, seen: Cursor): Promise<void> {
    // Rows of aggregations get a new number, and never change.
    const isNumbered = this.#options.table.interval !== undefined;
    const [old, fresh] = isNumbered ? [SQL`old - 'vid'`, SQL`new - 'vid'`] : [SQL`old`, SQL`new`];
    const deep = SQL`from ${this.#reader.log} where table_name = $1::text and seq > $2::bigint and block <= $3::integer`;
    const [found] = await sql.query(
      SQL`select min(block) as block from (
          select block from (select block, ${old} as row, -1 as sign ${deep} and old is not null
              union all select block, ${fresh}, 1 ${deep} and new is not null) signed
            group by block, row having sum(sign) <> 0) changed`,
      [this.#options.table.name, seen, String(block)],
    );
    if (found?.block == null) return;
    throw new FeedCut(
      `A reorganisation replaced block ${found.block}, which was final: it was ${this.#options.depth} blocks behind the head.`,
    );
  }

  /** The last of the next final blocks whose changes fit into one step. */
  async #until(sql: Sql, taken: number, final: number): Promise<number> {
    const [row] = await sql.query(
      SQL`select max(block) as block, count(*) as changes from (
          select block from ${this.#reader.log} where table_name = $1::text and block > $2::integer and block <= $3::integer
            order by block limit ${this.#limit}) next`,
      [this.#options.table.name, String(taken), String(final)],
    );
    return Number(row?.changes) === this.#limit ? Number(row?.block) : final;
  }

  /** The last number of the log before all changes of later blocks. */
  async #unneeded(sql: Sql, block: number, seq: Cursor): Promise<Cursor> {
    const [row] = await sql.query(
      SQL`select seq - 1 as seq from ${this.#reader.log} where table_name = $1::text and block > $2::integer order by seq limit 1`,
      [this.#options.table.name, String(block)],
    );
    return row ? cursorOf(row.seq) : seq;
  }

  async #changes(
    sql: Sql,
    which: SqlFragment,
    parameters: readonly (string | null)[],
  ): Promise<readonly RowChange[]> {
    const rows = await sql.query(
      SQL`select seq, block, op, table_name, vid, old, new from ${this.#reader.log} where table_name = $1::text and ${which}`,
      [this.#options.table.name, ...parameters],
    );
    return rows.map(changeOf);
  }

  /**
   * The next rows, in the order of their vids.
   * @param after the vid of the last row; without it there are none
   * @param at only versions that are valid at this block, as they are then
   * @param end the greatest vid; all rows without it
   */
  async #page(
    sql: Sql,
    after: string | undefined,
    head: number | undefined,
    at?: number,
    end?: string,
  ): Promise<{ readonly versions: readonly Version[]; readonly after: string | undefined }> {
    // Before the first block there are no rows.
    if (after === undefined || head === undefined) return { versions: [], after: undefined };
    const { table, layout, withHistory } = this.#options;
    const { begins, ends, isCurrent, visibleAt } = versionsSql(table, "t");
    const block = SQL`$2::integer`;
    const valid = withHistory ? SQL`${begins} <= ${block}` : at === undefined ? isCurrent : visibleAt(block);
    const rows = await sql.query(
      SQL`select t.vid, ${begins} as begins, case when ${ends} <= ${block} then ${ends} end as ends, ${rowJson(table, SQL`t`)} as row
        from ${quoteNames(layout.namespace, table.name)} t
        where t.vid > $1::bigint and t.vid <= coalesce($3::bigint, 9223372036854775807) and (${valid}) and ${block} is not null
        order by t.vid limit ${this.#limit}`,
      [after, String(at ?? head), end ?? null],
    );
    return {
      versions: rows.map(({ begins: from, ends: to, row }) => ({
        row: JSON.parse(row ?? "{}"),
        from: Number(from),
        ...(to != null && { to: Number(to) }),
      })),
      after: rows.length < this.#limit ? undefined : (rows.at(-1)?.vid ?? undefined),
    };
  }
}

function sinceOf({ since }: TablePlace): Pick<TablePlace, "since"> {
  return since === undefined ? {} : { since };
}

function deleted(): FeedCut {
  return new FeedCut("It was deleted from the database.");
}
