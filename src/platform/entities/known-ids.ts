import { DatabaseError, type Sql } from "../database/database.js";
import type { EntityTable } from "./entity-table.js";
import { IdFilter } from "./id-filter.js";

/** Tables with more rows than this are asked every time. */
const mostRows = 2_000_000;
const pageSize = 20_000;

/**
 * Which ids there are for certain not, type by type, so that the database need not be asked: most entities that are
 * written are new.
 */
export class KnownIds {
  readonly #filters = new Map<string, IdFilter>();
  /** Types that are read, or are too large for it. */
  readonly #prepared = new Map<string, Promise<void>>();

  /** @param types of empty tables */
  constructor(types: Iterable<string>) {
    for (const type of types) {
      this.#filters.set(type, new IdFilter());
      this.#prepared.set(type, Promise.resolve());
    }
  }

  /** Whether there is no such id for certain. */
  lacks(type: string, id: string): boolean {
    return this.#filters.get(type)?.mayHave(id) === false;
  }

  add(type: string, id: string): void {
    this.#filters.get(type)?.add(id);
  }

  /** Reads the ids of a table, the first time, when it was not empty. @throws DatabaseError */
  prepare(sql: Sql, table: EntityTable): Promise<void> {
    const { name } = table.type;
    const prepared = this.#prepared.get(name) ?? this.#read(sql, table);
    this.#prepared.set(name, prepared);
    return prepared;
  }

  async #read(sql: Sql, table: EntityTable): Promise<void> {
    const filter = await readIds(sql, table);
    if (filter) this.#filters.set(table.type.name, filter);
  }
}

async function readIds(sql: Sql, table: EntityTable): Promise<IdFilter | undefined> {
  const [found] = await sql.query(
    `select count(*) as n from (select from ${table.name} limit ${mostRows + 1}) t`,
  );
  if (!found) throw new DatabaseError(`${table.name} cannot be counted`);
  if (Number(found.n) > mostRows) return undefined;
  const filter = new IdFilter();
  for (let after = "-1"; ; ) {
    const rows = await sql.query(
      `select vid, id from ${table.name} where vid > $1::bigint order by vid limit ${pageSize}`,
      [after],
    );
    for (const { id } of rows) filter.add(table.idOf(id ?? ""));
    if (rows.length < pageSize) return filter;
    after = rows.at(-1)?.vid ?? after;
  }
}
