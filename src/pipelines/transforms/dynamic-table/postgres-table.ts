import type { World } from "../../../base/world.js";
import { cell } from "../../../store/database/columns.js";
import { type Database, SQL, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import { lockCreation } from "../../sinks/postgres/creation-lock.js";
import { sinkErrorOf } from "../../sinks/postgres/postgres-error.js";
import { SinkError } from "../../state/sink-error.js";
import type { LookupTable } from "../lookup-table.js";

/** The schema of the tables, where users fill them. */
export const schema = "graphloom_flows_tables";

/** The most values of a table, since all of them are in memory. */
const most = 1_000_000;

/** A dynamic table in PostgreSQL. */
export interface PostgresTableOptions {
  readonly database: Database;
  readonly name: string;
  /** Milliseconds between two readings. */
  readonly debounce: number;
  readonly clock: Pick<World, "now">;
}

/**
 * Opens a table of values in PostgreSQL, which is created if it does not exist.
 * @throws SinkError
 */
export async function openPostgresTable(options: PostgresTableOptions): Promise<LookupTable> {
  const { database, name } = options;
  const table = new PostgresTable(options, quoteNames(schema, name));
  try {
    await createTable(database, name);
    await table.prepare();
    return table;
  } catch (error) {
    await database.close();
    throw sinkErrorOf(error);
  }
}

/** Creates nothing in the schema of the table, so that the user only needs permission to read it. */
export async function createTable(database: Database, name: string): Promise<void> {
  const found = await database.query(
    SQL`select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text`,
    [schema, name],
  );
  if (found.length > 0) return;
  await database.transaction(async (sql) => {
    await lockCreation(sql);
    await sql.run(SQL`create schema if not exists ${quoteName(schema)}`);
    await sql.run(
      SQL`create table if not exists ${quoteNames(schema, name)}
        (value text primary key, updated_at timestamptz not null default now())`,
    );
  });
}

class PostgresTable implements LookupTable {
  readonly #options: PostgresTableOptions;
  readonly #table: SqlFragment;
  #values: ReadonlySet<string> = new Set();
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresTableOptions, table: SqlFragment) {
    this.#options = options;
    this.#table = table;
  }

  async prepare(): Promise<void> {
    const { database, debounce, clock, name } = this.#options;
    const now = clock.now();
    if (now - this.#readAt < debounce) return;
    try {
      const rows = await database.query(
        SQL`select value::text as value from ${this.#table} where value is not null limit ${most + 1}`,
      );
      if (rows.length > most)
        throw new SinkError(
          `Table ${schema}.${name} has more than ${most} values, the most that can be looked up.`,
          false,
        );
      this.#values = new Set(rows.map((row) => cell(row, "value")));
      this.#readAt = now;
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }

  since(value: string): number | undefined {
    return this.#values.has(value) ? 0 : undefined;
  }

  async close(): Promise<void> {
    await this.#options.database.close();
  }
}
