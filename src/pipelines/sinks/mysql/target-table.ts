import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { RowColumn, RowSchema } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { checkColumns, checkUnique, lackingColumns, sameSet } from "../tables/check-table.js";
import { type TargetTable, tableText } from "../tables/target-table.js";
import { type ExistingColumn, holds, isExact, newColumnTypes } from "./column-types.js";
import { quoteMysqlName, quoteMysqlText } from "./mysql-text.js";

/** The table's qualified name as SQL. */
export function tableName({ schema, name }: TargetTable): SqlFragment {
  return SQL`${quoteMysqlName(schema)}.${quoteMysqlName(name)}`;
}

/** Creates the table's database if it does not exist. @throws MysqlError */
export async function prepareSchema(database: MysqlDatabase, schema: string): Promise<void> {
  const { rows } = await database.run(
    SQL`select 1 from information_schema.schemata where schema_name = ${quoteMysqlText(schema)}`,
  );
  if (rows.length === 0)
    await database.run(SQL`create database if not exists ${quoteMysqlName(schema)} character set utf8mb4`);
}

/**
 * Creates the table, with its database, if it does not exist. Otherwise checks that it holds every value, and adds
 * missing columns if allowed.
 * @param overrides types by column; null leaves a column out
 * @param onCreate called before the table is created
 * @param evolves whether to add missing columns
 * @returns the columns to write
 * @throws SinkError if the table does not fit; MysqlError
 */
export async function prepareTable(
  database: MysqlDatabase,
  table: TargetTable,
  { columns, key }: RowSchema,
  overrides: ReadonlyMap<string, SqlFragment | null>,
  onCreate: () => Promise<void>,
  evolves = false,
): Promise<readonly RowColumn[]> {
  const written = writtenColumns(columns, overrides);
  const exact = exactCollations[await exactCollation(database)];
  const types = newColumnTypes(written, key, exact);
  const isNew = (await engineOf(database, table)) === undefined;
  const typeOf = (name: string): SqlFragment => overrides.get(name) ?? types.get(name) ?? SQL``;
  if (isNew) {
    await onCreate();
    await createTable(database, table, columnLines(written, key, typeOf), exact);
    return written;
  }
  const quote = (name: string): string => quoteMysqlName(name);
  let existing = await columnsOf(database, table);
  const added = evolves ? lackingColumns(written, key, existing) : [];
  if (added.length > 0) {
    const lines = added.map(({ name }) => SQL`add column ${quoteMysqlName(name)} ${typeOf(name)} null`);
    await database.run(SQL`alter table ${tableName(table)} ${lines}`);
    existing = await columnsOf(database, table);
  }
  checkColumns(table, written, existing, {
    chosen: new Set(overrides.keys()),
    newType: ({ name }) => types.get(name) ?? "",
    quote,
    typeOf: ({ type, charset }) => (charset === undefined ? type : `${type} character set ${charset}`),
    holds: (found, { name, type }) => holds(found, type, key.includes(name)),
  });
  const indexes = await uniqueIndexes(database, table);
  checkUnique(table, key, [...indexes.values()], quote);
  for (const { name, type } of written.filter((column) => key.includes(column.name))) {
    const found = existing.get(name);
    if (found && !isExact(found, type)) throw inexactKey(table, name, found, types.get(name) ?? "");
  }
  for (const [index, of] of indexes)
    if (key.length > 0 && sameSet(of) !== sameSet(key)) throw secondIndex(table, index, of);
  return written;
}

/** The columns to write. */
export function writtenColumns(
  columns: readonly RowColumn[],
  overrides: ReadonlyMap<string, SqlFragment | null>,
): readonly RowColumn[] {
  return columns.filter(({ name }) => overrides.get(name) !== null);
}

/** Binary collations that do not ignore trailing spaces: MariaDB's and MySQL's. */
const exactCollations = { nopad: SQL`utf8mb4_nopad_bin`, plain: SQL`utf8mb4_0900_bin` } as const;

/** The collation that the server has. @throws SinkError if it has neither */
async function exactCollation(database: MysqlDatabase): Promise<keyof typeof exactCollations> {
  const { rows } = await database.run(
    SQL`select collation_name as name from information_schema.collations
      where collation_name in ('utf8mb4_nopad_bin', 'utf8mb4_0900_bin')`,
  );
  const [found] = rows;
  if (found) return found.name === "utf8mb4_nopad_bin" ? "nopad" : "plain";
  throw new SinkError(
    "The server has no collation that tells all texts apart. Use MariaDB from 10.2 on, or MySQL from 8.0.17 on.",
    false,
  );
}

function inTable({ schema, name }: TargetTable): SqlFragment {
  return SQL`table_schema = ${quoteMysqlText(schema)} and table_name = ${quoteMysqlText(name)}`;
}

/**
 * The engine of a table; `undefined` if it does not exist.
 * @throws SinkError if it has no transactions
 */
async function engineOf(database: MysqlDatabase, table: TargetTable): Promise<string | undefined> {
  const { rows } = await database.run(
    SQL`select t.engine as name, e.transactions as transactions from information_schema.tables t
      left join information_schema.engines e on e.engine = t.engine where ${inTable(table)}`,
  );
  const [found] = rows;
  if (!found) return undefined;
  if (found.transactions === "YES") return found.name ?? "";
  const what =
    found.name === null ? "is a view" : `has the engine ${found.name}, which knows no transactions`;
  throw new SinkError(
    `Table ${tableText(table)} ${what}, so rows and position could not be written together. Choose a table with: engine = InnoDB`,
    false,
  );
}

/** The columns of a table, by name; empty if it does not exist. @throws MysqlError */
export async function columnsOf(
  database: MysqlDatabase,
  table: TargetTable,
): Promise<ReadonlyMap<string, ExistingColumn>> {
  const { rows } = await database.run(
    SQL`select column_name as name, data_type as kind, column_type as type, character_maximum_length as length,
        character_set_name as charset, collation_name as collation
      from information_schema.columns where ${inTable(table)}`,
  );
  return new Map(
    rows.map(({ name, kind, type, length, charset, collation }) => [
      name ?? "",
      {
        kind: kind ?? "",
        type: type ?? "",
        length: length == null ? undefined : Number(length),
        charset: charset ?? undefined,
        collation: collation ?? undefined,
      },
    ]),
  );
}

/** The columns of unique indexes, by index name. An index on a prefix of a column does not count. */
export async function uniqueIndexes(
  database: MysqlDatabase,
  table: TargetTable,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.run(
    SQL`select index_name as name, column_name as col, sub_part as part from information_schema.statistics
      where ${inTable(table)} and non_unique = 0 order by index_name, seq_in_index`,
  );
  const indexes = new Map<string, string[]>();
  for (const { name, col, part } of rows) {
    const columns = indexes.get(name ?? "") ?? [];
    columns.push(part === null ? (col ?? "") : `${col}(${part})`);
    indexes.set(name ?? "", columns);
  }
  return indexes;
}

function columnLines(
  columns: readonly RowColumn[],
  key: readonly string[],
  typeOf: (name: string) => SqlFragment,
): readonly SqlFragment[] {
  const lines = columns.map(
    ({ name }) => SQL`${quoteMysqlName(name)} ${typeOf(name)}${key.includes(name) ? SQL` not null` : SQL``}`,
  );
  return key.length === 0 ? lines : [...lines, SQL`primary key (${key.map(quoteMysqlName)})`];
}

/** Uses an engine with transactions and room for long keys. */
async function createTable(
  database: MysqlDatabase,
  table: TargetTable,
  lines: readonly SqlFragment[],
  collation: SqlFragment,
): Promise<void> {
  await database.run(
    SQL`create table ${tableName(table)} (${lines}) engine = InnoDB row_format = dynamic character set utf8mb4 collate ${collation}`,
  );
}

function inexactKey(
  table: TargetTable,
  column: string,
  { collation }: ExistingColumn,
  type: string,
): SinkError {
  return new SinkError(
    `Column ${column} of table ${tableText(table)} has the collation ${collation}, under which different keys may be equal. Change it with: alter table ${tableText(table)} modify ${quoteMysqlName(column)} ${type} not null`,
    false,
  );
}

/** In MySQL, an upsert overwrites a row that matches any unique index. */
function secondIndex(table: TargetTable, index: string, columns: readonly string[]): SinkError {
  return new SinkError(
    `Table ${tableText(table)} has the unique index ${index} on ${columns.join(", ")} beside its key. An upsert would overwrite other rows that it finds. Drop it, or create it without unique.`,
    false,
  );
}
