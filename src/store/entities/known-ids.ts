import { reportFailure } from "../../base/failures.js";
import { inBackground } from "../../base/turns/guarded.js";
import { SQL, type Sql } from "../database/database.js";
import type { EntityTable } from "./entity-table.js";
import { IdFilter } from "./id-filter.js";

/** Limits for reading the ids of a table. */
export interface IdLimits {
  /** Larger tables are read in the background. Until that is done, every lookup asks the database. */
  readonly mostAtOnce: number;
  /** For larger tables every lookup asks the database, because the ids would take too much memory. */
  readonly mostRows: number;
  readonly pageSize: number;
}

const defaultLimits: IdLimits = { mostAtOnce: 2_000_000, mostRows: 20_000_000, pageSize: 20_000 };

/**
 * Knows which ids surely do not exist, by type, so that the database need not be asked. Most written entities are new.
 */
export class KnownIds {
  readonly #limits: IdLimits;
  readonly #filters = new Map<string, IdFilter>();
  /** Types whose filters have all ids. */
  readonly #complete = new Set<string>();
  readonly #prepared = new Map<string, Promise<void>>();
  /** Reads in the background. */
  readonly #reading = new Set<Promise<void>>();

  /** @param types of empty tables */
  constructor(types: Iterable<string>, limits: Partial<IdLimits> = {}) {
    this.#limits = { ...defaultLimits, ...limits };
    for (const type of types) {
      this.#filters.set(type, new IdFilter());
      this.#complete.add(type);
      this.#prepared.set(type, Promise.resolve());
    }
  }

  /** Whether the id surely does not exist. */
  lacks(type: string, id: string): boolean {
    return this.#complete.has(type) && this.#filters.get(type)?.mayHave(id) === false;
  }

  add(type: string, id: string): void {
    this.#filters.get(type)?.add(id);
  }

  /**
   * Reads the ids of a table that is not empty, the first time. A large table is read in the background, while others
   * use the database.
   * @throws DatabaseError
   */
  prepare(sql: Sql, table: EntityTable): Promise<void> {
    const { name } = table.type;
    const prepared = this.#prepared.get(name) ?? this.#begin(sql, table);
    this.#prepared.set(name, prepared);
    return prepared;
  }

  /** Waits for all reads to finish. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }

  async #begin(sql: Sql, table: EntityTable): Promise<void> {
    const { mostAtOnce } = this.#limits;
    const beyond = await sql.query(SQL`select from ${table.name} offset ${mostAtOnce} limit 1`);
    if (beyond.length === 0) return this.#read(sql, table);
    const reading = this.#read(sql, table).catch(() => {
      // The next caller of the database meets the error. Until the ids are read, lookups just ask the database more
      // often.
      this.#filters.delete(table.type.name);
    });
    this.#reading.add(reading);
    inBackground(
      reading.finally(() => this.#reading.delete(reading)),
      reportFailure,
    );
  }

  /** Ids written meanwhile are added to the same filter by their writer. */
  async #read(sql: Sql, table: EntityTable): Promise<void> {
    const { mostRows, pageSize } = this.#limits;
    const type = table.type.name;
    const filter = new IdFilter();
    this.#filters.set(type, filter);
    let count = 0;
    for (let after = "-1"; ; ) {
      const rows = await sql.query(
        SQL`select vid, id from ${table.name} where vid > $1::bigint order by vid limit ${pageSize}`,
        [after],
      );
      for (const { id } of rows) filter.add(table.ids.shown(id ?? ""));
      count += rows.length;
      if (count > mostRows) {
        this.#filters.delete(type);
        return;
      }
      if (rows.length < pageSize) break;
      after = rows.at(-1)?.vid ?? after;
    }
    this.#complete.add(type);
  }
}
