import { DatabaseError, SQL, type Sql } from "../database.js";
import { quoteNames } from "../quote.js";

/** When to do upkeep on a database without background processes. Times are in milliseconds. */
export interface UpkeepLimits {
  /** The interval between checks while the database is in use. */
  readonly look: number;
  /** Log bytes between two checkpoints. The disk holds up to twice as many. */
  readonly logBytes: number;
  /** The longest time between two checkpoints if anything was written. */
  readonly checkpoint: number;
  /** Dead rows, on top of a share of the live rows, before a table is vacuumed. */
  readonly deadRows: number;
  /** The shortest time between two vacuums of a table. */
  readonly vacuum: number;
}

export const folderUpkeep: UpkeepLimits = {
  look: 2_000,
  logBytes: 64 << 20,
  checkpoint: 300_000,
  deadRows: 500,
  vacuum: 60_000,
};

/** In a database in memory, the log takes memory. PostgreSQL requires at least 32 MB for it. */
export const memoryUpkeep: UpkeepLimits = { ...folderUpkeep, logBytes: 16 << 20 };

/** A table is vacuumed when more than this share of its rows is dead, as on a server. */
const deadShare = SQL`0.2`;
/** Transactions after which a table's rows are frozen, long before transaction ids wrap around. */
const oldAge = 150_000_000;

/**
 * Does the work of a PostgreSQL server's background processes: checkpoints, so that the log does not grow forever, and
 * vacuum, so that the space of deleted rows is reused. It works in small steps between other statements.
 */
export class Upkeep {
  readonly #limits: UpkeepLimits;
  readonly #now: () => number;
  #nextLook: number;
  /** The log position and the time of the last known checkpoint. */
  #last: { readonly place: string; readonly time: number } | undefined;

  /** @param now milliseconds */
  constructor(limits: UpkeepLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#nextLook = now() + limits.look;
  }

  /** Whether a step is due. If so, the caller must do one. */
  isDue(): boolean {
    const now = this.#now();
    if (now < this.#nextLook) return false;
    this.#nextLook = now + this.#limits.look;
    return true;
  }

  /**
   * Does one step, outside any transaction. Ignores database errors, which the next caller will meet, and tries the
   * step again later.
   */
  async step(sql: Sql): Promise<void> {
    try {
      if (!(await this.#checkpoint(sql))) await this.#vacuum(sql);
    } catch (error) {
      if (!(error instanceof DatabaseError)) throw error;
    }
  }

  /** @returns whether it wrote a checkpoint */
  async #checkpoint(sql: Sql): Promise<boolean> {
    this.#last ??= { place: await lastCheckpoint(sql), time: this.#now() };
    const written = await writtenSince(sql, this.#last.place);
    const isLate = this.#now() - this.#last.time >= this.#limits.checkpoint;
    // The log record of a checkpoint itself does not call for the next one.
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
