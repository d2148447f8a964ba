import { DatabaseError, SQL, type Sql } from "../database.js";
import { quoteNames } from "../quote.js";

/** When a database that has nobody else to keep it in shape is looked after. Times are in milliseconds. */
export interface UpkeepLimits {
  /** Between two looks, while the database is used. */
  readonly look: number;
  /** Bytes of the log that may be written from one checkpoint to the next: so many, and as many again, are on the disk. */
  readonly logBytes: number;
  /** The longest time from one checkpoint to the next, when anything was written. */
  readonly checkpoint: number;
  /** Rows that are dead, beside a share of those that live, before a table is vacuumed. */
  readonly deadRows: number;
  /** The shortest time from one vacuum of a table to the next. */
  readonly vacuum: number;
}

export const folderUpkeep: UpkeepLimits = {
  look: 2_000,
  logBytes: 64 << 20,
  checkpoint: 300_000,
  deadRows: 500,
  vacuum: 60_000,
};

/** In memory the log takes memory. PostgreSQL wants 32 MB for it at least. */
export const memoryUpkeep: UpkeepLimits = { ...folderUpkeep, logBytes: 16 << 20 };

/** A table is vacuumed when more than this share of it is dead, as a server does it. */
const deadShare = SQL`0.2`;
/** Transactions after which a table's rows are marked as old, long before their numbers are used again. */
const oldAge = 150_000_000;

/**
 * Does what the processes beside a PostgreSQL server do: checkpoints, so that its log does not grow for ever, and
 * vacuum, so that the room of deleted rows is used again. It works in small steps, between what others ask.
 */
export class Upkeep {
  readonly #limits: UpkeepLimits;
  readonly #now: () => number;
  #nextLook: number;
  /** The place in the log, and the time, of the last checkpoint that is known of. */
  #last: { readonly place: string; readonly time: number } | undefined;

  /** @param now milliseconds */
  constructor(limits: UpkeepLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#nextLook = now() + limits.look;
  }

  /** Whether it is time for a step. Who is told so is to do one. */
  isDue(): boolean {
    const now = this.#now();
    if (now < this.#nextLook) return false;
    this.#nextLook = now + this.#limits.look;
    return true;
  }

  /**
   * Does one step, outside of any transaction. What is wrong with the database is left to be told to whoever asks it
   * for something; the step is tried again later.
   */
  async step(sql: Sql): Promise<void> {
    try {
      if (!(await this.#checkpoint(sql))) await this.#vacuum(sql);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
    }
  }

  /** @returns whether it made one */
  async #checkpoint(sql: Sql): Promise<boolean> {
    this.#last ??= { place: await lastCheckpoint(sql), time: this.#now() };
    const written = await writtenSince(sql, this.#last.place);
    const isLate = this.#now() - this.#last.time >= this.#limits.checkpoint;
    // The note that a checkpoint itself leaves is no reason for the next.
    if (written < this.#limits.logBytes && !(isLate && written > 1_000)) return false;
    await sql.run(SQL`checkpoint`);
    this.#last = { place: await lastCheckpoint(sql), time: this.#now() };
    return true;
  }

  async #vacuum(sql: Sql): Promise<void> {
    const { deadRows, vacuum } = this.#limits;
    const [table] = await sql.query(
      SQL`select s.schemaname as space, s.relname as name
        from pg_stat_all_tables s join pg_class c on c.oid = s.relid
        where (s.n_dead_tup > $1::bigint + ${deadShare} * greatest(c.reltuples, 0) or age(c.relfrozenxid) > ${oldAge})
          and (s.last_vacuum is null or s.last_vacuum < now() - $2::bigint * interval '1 millisecond')
        order by s.n_dead_tup desc limit 1`,
      [String(deadRows), String(vacuum)],
    );
    if (table) await sql.run(SQL`vacuum ${quoteNames(table.space ?? "", table.name ?? "")}`);
  }
}

async function lastCheckpoint(sql: Sql): Promise<string> {
  const [row] = await sql.query(SQL`select redo_lsn from pg_control_checkpoint()`);
  return row?.redo_lsn ?? "0/0";
}

/** @returns bytes */
async function writtenSince(sql: Sql, place: string): Promise<number> {
  const [row] = await sql.query(SQL`select pg_current_wal_insert_lsn() - $1::pg_lsn as bytes`, [place]);
  return Number(row?.bytes);
}
