import type { RowColumn, RowSchema } from "../../changes/schema.js";
import { type ClickHouseType, clickHouseType } from "../../definition/clickhouse-type.js";
import { SinkError } from "../../state/sink-error.js";
import { type ClickHouse, quotedName } from "../clickhouse-server.js";
import { lackingColumns } from "../tables/check-table.js";
import { accepts, columnTypes, holds } from "./column-types.js";
import type { TargetColumn } from "./native-block.js";
import { checkEngine, type RowColumns } from "./table-engine.js";

/** The table that a sink writes. */
export interface TableName {
  readonly database: string;
  readonly name: string;
}

/** What a definition says about a table. */
export interface TableOptions {
  readonly table: TableName;
  readonly schema: RowSchema;
  /** Types by column; null leaves a column out. */
  readonly overrides: ReadonlyMap<string, ClickHouseType | null>;
  /** The column of the version, if the definition names one. */
  readonly version: string | undefined;
  /** Whether columns are added to a table that lacks them. */
  readonly evolves?: boolean;
}

/** A table that fits. */
export interface TargetTable extends TableName {
  /** The columns to write. */
  readonly columns: readonly TargetColumn[];
  /** The columns of the version and of deletions. */
  readonly rowColumns: RowColumns;
  /** The columns of the key, as the table sorts by them. */
  readonly key: readonly string[];
}

/** A table in SQL. */
export function quotedTable({ database, name }: TableName): string {
  return `${quotedName(database)}.${quotedName(name)}`;
}

/** Whether a table is there. @throws ClickHouseError */
export async function hasTable(server: ClickHouse, { database, name }: TableName): Promise<boolean> {
  const found = await server.query(
    "SELECT 1 FROM system.tables WHERE database = {database:String} AND name = {table:String}",
    { database, table: name },
  );
  return found.length > 0;
}

/**
 * Makes sure that the table is there, that it keeps one row for each key, and that it holds every value. Creates the table
 * and its database if they do not exist. Adds columns that an existing table lacks if the definition allows it.
 * @param onCreate called before the table is created
 * @throws SinkError for a table that does not fit; ClickHouseError
 */
export async function prepareTable(
  server: ClickHouse,
  options: TableOptions,
  onCreate: () => Promise<void>,
): Promise<TargetTable> {
  if (options.evolves) await addColumns(server, options);
  const existing = await existingTable(server, options);
  if (existing) return existing;
  await onCreate();
  return createTable(server, options);
}

/** Adds the columns that an existing table lacks. Its rows get null there, or an empty list. */
async function addColumns(server: ClickHouse, options: TableOptions): Promise<void> {
  const { table, schema, overrides } = options;
  const found = await server.query(
    "SELECT name FROM system.columns WHERE database = {database:String} AND table = {table:String}",
    { database: table.database, table: table.name },
  );
  if (found.length === 0) return;
  const existing = new Map(found.map(({ name }) => [String(name), true]));
  const written = writtenColumns(options).map(({ column }) => column);
  for (const column of lackingColumns(written, schema.key, existing)) {
    const type = overrides.get(column.name) ?? newType({ ...column, nullable: true }, false);
    await server.run(
      `ALTER TABLE ${quotedTable(table)} ADD COLUMN IF NOT EXISTS ${quotedName(column.name)} ${type.text}`,
    );
  }
}

/**
 * A table that exists and fits; `undefined` if it does not exist.
 * @throws SinkError for a table that does not fit; ClickHouseError
 */
export async function existingTable(
  server: ClickHouse,
  options: TableOptions,
): Promise<TargetTable | undefined> {
  const { table, schema, version } = options;
  const parameters = { database: table.database, table: table.name };
  const [found] = await server.query(
    `SELECT engine, engine_full, sorting_key FROM system.tables
      WHERE database = {database:String} AND name = {table:String}`,
    parameters,
  );
  if (!found) return undefined;
  const existing = await server.query(
    `SELECT name, type, default_kind, is_in_partition_key FROM system.columns
      WHERE database = {database:String} AND table = {table:String}`,
    parameters,
  );
  const rowColumns = checkEngine(
    {
      name: `${table.database}.${table.name}`,
      engine: String(found.engine),
      engineFull: String(found.engine_full),
      sortingKey: String(found.sorting_key),
      columns: existing.map((column) => ({
        name: String(column.name),
        type: String(column.type),
        isInPartitionKey: Number(column.is_in_partition_key) === 1,
      })),
    },
    schema,
    version,
  );
  const written = new Map(
    existing.map(({ name, type, default_kind: kind }) => [
      String(name),
      { type: String(type), isComputed: /^(?:ALIAS|MATERIALIZED)$/.test(String(kind)) },
    ]),
  );
  const columns = writtenColumns(options).map(({ column, index }) => ({
    name: column.name,
    from: column.type,
    index,
    type: existingType(column, written.get(column.name), options),
  }));
  return { ...table, columns, rowColumns, key: schema.key };
}

function writtenColumns({
  schema,
  overrides,
}: TableOptions): readonly { readonly column: RowColumn; readonly index: number }[] {
  return schema.columns
    .map((column, index) => ({ column, index }))
    .filter(({ column }) => overrides.get(column.name) !== null);
}

/** Its minmax index finds the rows of an interrupted batch quickly. */
async function createTable(server: ClickHouse, options: TableOptions): Promise<TargetTable> {
  const { table, schema, overrides, version } = options;
  const columns = writtenColumns(options).map(({ column, index }): TargetColumn => {
    const type = overrides.get(column.name) ?? newType(column, schema.key.includes(column.name));
    checkAccepts(column, type);
    return { name: column.name, from: column.type, index, type };
  });
  const rowColumns = { version: version ?? "version", isDeleted: "is_deleted" };
  for (const name of Object.values(rowColumns))
    if (columns.some((column) => column.name === name))
      throw new SinkError(
        `The rows have a column ${name}, which is the name of a column that graphloom adds. Rename it with SQL.`,
        false,
      );
  const lines = [
    ...columns.map(({ name, type }) => `${quotedName(name)} ${type.text}`),
    `${quotedName(rowColumns.version)} UInt64`,
    `${quotedName(rowColumns.isDeleted)} UInt8`,
    `INDEX graphloom_version ${quotedName(rowColumns.version)} TYPE minmax GRANULARITY 1`,
  ];
  await server.run(`CREATE DATABASE IF NOT EXISTS ${quotedName(table.database)}`);
  await server.run(
    `CREATE TABLE ${quotedTable(table)} (${lines.join(", ")})
      ENGINE = ReplacingMergeTree(${quotedName(rowColumns.version)}, ${quotedName(rowColumns.isDeleted)})
      ORDER BY (${schema.key.map(quotedName).join(", ")})`,
  );
  return { ...table, columns, rowColumns, key: schema.key };
}

/** Keys and lists are never null. */
function newType({ type, nullable }: RowColumn, isKey: boolean): ClickHouseType {
  const text = columnTypes[type];
  const isNullable = nullable && !isKey && type !== "ARRAY<STRING>";
  return clickHouseType(isNullable ? `Nullable(${text})` : text) as ClickHouseType;
}

function existingType(
  column: RowColumn,
  existing: { readonly type: string; readonly isComputed: boolean } | undefined,
  { table, schema, overrides }: TableOptions,
): ClickHouseType {
  const where = `${table.database}.${table.name}`;
  const { text: wanted } = newType(column, schema.key.includes(column.name));
  if (existing === undefined)
    throw new SinkError(
      `Table ${where} has no column ${column.name}. Set schema_changes: evolve, or add it with: ALTER TABLE ${quotedTable(table)} ADD COLUMN ${quotedName(column.name)} ${wanted}`,
      false,
    );
  if (existing.isComputed)
    throw new SinkError(
      `Column ${column.name} of table ${where} is computed, so it cannot be written. Leave it out with schema_override: { ${column.name}: null }`,
      false,
    );
  const type = clickHouseType(existing.type);
  if (
    type === undefined ||
    !accepts(type, column.type) ||
    !(overrides.has(column.name) || holds(type, column.type))
  )
    throw new SinkError(
      `Column ${column.name} of table ${where} has the type ${existing.type}, which does not hold every value of ${column.type}. Use the type ${wanted}, or choose the type with schema_override.`,
      false,
    );
  return type;
}

function checkAccepts({ name, type }: RowColumn, chosen: ClickHouseType): void {
  if (accepts(chosen, type)) return;
  throw new SinkError(
    `Column ${name} has the type ${type}, which cannot be written as ${chosen.text}. Choose another type with schema_override.`,
    false,
  );
}
