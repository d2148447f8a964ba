import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { cell } from "../../../store/database/columns.js";
import { SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteNames } from "../../../store/database/quote.js";
import { arrayText, plainArrayText } from "../../../store/database/sql-array.js";
import { creationLock } from "../../sinks/postgres/creation-lock.js";
import { sinkErrorOf } from "../../sinks/postgres/postgres-error.js";
import type { SourcePosition } from "../../sources/source.js";
import { SinkError, wentBack } from "../../state/sink-error.js";
import { createTable, type PostgresTableOptions, schema } from "./postgres-table.js";
import type { KeptTable, TableOwner, TableStep, TableStore, TableValues } from "./table-store.js";

/** A table in PostgreSQL that a query fills. */
export interface PostgresStoreOptions extends PostgresTableOptions, TableOwner {}

const creation = SQL`${creationLock};
  create schema if not exists graphloom_flows;
  create table if not exists graphloom_flows.filled_tables (
    name text primary key, flow text not null, lineage text not null,
    next bigint not null, open text not null, version bigint not null)`;

/** Values that are read at once, one more than a table may have. */
const most = 1_000_001;

/**
 * Opens a table of values in PostgreSQL that a query fills. A column holds the block from which a value counts; it is
 * null for values that others wrote. Values and position are written in one transaction.
 * @throws SinkError
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<TableStore> {
  const { database, name, isReadOnly } = options;
  const table = quoteNames(schema, name);
  try {
    if (!isReadOnly) {
      await createTable(database, name);
      await database.run(creation);
      await database.run(SQL`alter table ${table} add column if not exists block bigint`);
    }
    return new PostgresStore(options, table);
  } catch (error) {
    await database.close();
    throw sinkErrorOf(error);
  }
}

class PostgresStore implements TableStore {
  readonly #options: PostgresStoreOptions;
  readonly #table: SqlFragment;
  /** How often the position has been written; `undefined` if it never was. */
  #version: bigint | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: PostgresStoreOptions, table: SqlFragment) {
    this.#options = options;
    this.#table = table;
  }

  async load(): Promise<KeptTable> {
    const { database, name } = this.#options;
    return this.#tried(() =>
      // Values and position have to be of the same moment.
      database.transaction(
        async (sql) => {
          const [kept] = await sql.query(
            SQL`select flow, lineage, next, open, version from graphloom_flows.filled_tables where name = $1::text`,
            [name],
          );
          this.#refuseOther(kept?.flow ?? undefined, kept?.lineage ?? undefined);
          this.#version = kept ? BigInt(kept.version ?? 0) : undefined;
          const values = await this.#values(sql);
          return { values, position: kept && positionOf(cell(kept, "next"), cell(kept, "open")) };
        },
        { snapshot: true },
      ),
    );
  }

  async write({ added, undone, position }: TableStep): Promise<void> {
    const { database, name, flow, lineage, isReadOnly } = this.#options;
    if (isReadOnly)
      throw new SinkError(
        `Table ${schema}.${name} is not filled as far as the rows. Run the pipeline first.`,
        false,
      );
    await this.#tried(() =>
      database.transaction(async (sql) => {
        if (undone !== undefined)
          await sql.query(SQL`delete from ${this.#table} where block >= $1::bigint`, [String(undone)]);
        if (added.size > 0)
          await sql.query(
            SQL`insert into ${this.#table} (value, block) select * from unnest($1::text[], $2::bigint[]) on conflict do nothing`,
            [arrayText([...added.keys()]), plainArrayText([...added.values()])],
          );
        const written = await sql.query(
          this.#version === undefined
            ? SQL`insert into graphloom_flows.filled_tables (name, flow, lineage, next, open, version)
                values ($1::text, $2::text, $3::text, $4::bigint, $5::text, 0) on conflict do nothing returning 1`
            : SQL`update graphloom_flows.filled_tables set next = $4::bigint, open = $5::text, version = version + 1
                where name = $1::text and flow = $2::text and lineage = $3::text and version = $6::bigint returning 1`,
          [
            name,
            flow,
            lineage,
            String(position.next),
            JSON.stringify(position.open),
            ...(this.#version === undefined ? [] : [String(this.#version)]),
          ],
        );
        if (written.length === 0) throw await this.#strangePosition(sql);
      }),
    );
    this.#version = (this.#version ?? -1n) + 1n;
  }

  /** Why the stored position is not the one that this process wrote last. */
  async #strangePosition(sql: Sql): Promise<SinkError> {
    const { name, flow, lineage } = this.#options;
    const [found] = await sql.query(
      SQL`select version from graphloom_flows.filled_tables where name = $1::text and flow = $2::text and lineage = $3::text`,
      [name, flow, lineage],
    );
    if (this.#version !== undefined && (!found || BigInt(found.version ?? 0) < this.#version))
      return wentBack("database of the dynamic table");
    return new SinkError(
      `Another run fills table ${schema}.${name}. Stop one of them; nothing of this one's last batch was written.`,
      false,
    );
  }

  async reload(): Promise<TableValues | undefined> {
    const { database, debounce, clock } = this.#options;
    if (clock.now() - this.#readAt < debounce) return undefined;
    return this.#tried(() => this.#values(database));
  }

  async close(): Promise<void> {
    await this.#options.database.close();
  }

  async #values(sql: Pick<Sql, "query">): Promise<TableValues> {
    const now = this.#options.clock.now();
    const rows = await sql.query(
      SQL`select value::text as value, block from ${this.#table} where value is not null limit ${most}`,
    );
    this.#readAt = now;
    return new Map(rows.map((row) => [cell(row, "value"), Number(row.block ?? 0)]));
  }

  /** @throws SinkError if the table was filled by something else */
  #refuseOther(flow: string | undefined, lineage: string | undefined): void {
    const { name, flow: own, lineage: ownLineage } = this.#options;
    if (flow === undefined || (flow === own && lineage === ownLineage)) return;
    const whose = flow === own ? "another query" : `pipeline ${flow}`;
    throw new SinkError(
      `Table ${schema}.${name} was filled by ${whose}. Choose another backend_entity_name, or drop the table and its row in graphloom_flows.filled_tables.`,
      false,
    );
  }

  async #tried<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw sinkErrorOf(error);
    }
  }
}

function positionOf(next: string, text: string): SourcePosition {
  const open = parseJson(text);
  const blocks = (Array.isArray(open) ? open : []).flatMap((block: unknown) =>
    isRecord(block) && typeof block.number === "number" && typeof block.hash === "string"
      ? [{ number: block.number, hash: block.hash }]
      : [],
  );
  return { next: Number(next), open: blocks };
}
