import { SQL } from "../../../store/database/database.js";
import type { RowColumn } from "../../changes/schema.js";
import { checkColumns, checkUnique, lackingColumns } from "./check-table.js";
import type { Closing, TableDialect, TableOptions, TargetColumn } from "./table-dialect.js";

/**
 * Makes sure that the table is there and holds every value. It is created, with its schema, if it does not exist; one that
 * exists only gets columns that it lacks, if it may.
 * @param onCreate called with the transaction that creates the table
 * @returns the columns to write
 * @throws SinkError for a table that does not fit; the database's errors
 */
export async function prepareTable<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  options: Omit<TableOptions<Session, Database>, "owner" | "onConflict">,
  onCreate: (session: Session) => Promise<void>,
): Promise<readonly TargetColumn[]> {
  const { database, table, schema, overrides, evolves = false } = options;
  const { key } = schema;
  const written = await writtenColumns(dialect, database, options);
  let existing = await dialect.columnsOf(database, table);
  if (existing.size === 0) {
    if (await dialect.create(database, table, written, key, onCreate)) return written;
    existing = await dialect.columnsOf(database, table);
  }
  const added = evolves ? lackingColumns(written, key, existing) : [];
  for (const { name, sqlType } of added)
    await dialect.ask(
      database,
      SQL`alter table ${dialect.name(table)} ${dialect.addColumn} ${dialect.quote(name)} ${sqlType} null`,
    );
  if (added.length > 0) existing = await dialect.columnsOf(database, table);
  const types = new Map(written.map(({ name, sqlType }) => [name, sqlType]));
  checkColumns(table, written, existing, {
    chosen: new Set(overrides.keys()),
    newType: ({ name }) => types.get(name) ?? "",
    quote: (name) => dialect.quote(name),
    typeOf: (found) => dialect.rules.typeOf(found),
    holds: (found, column) => dialect.rules.holds(found, column, key.includes(column.name)),
  });
  const unique = await dialect.uniqueIndexes(database, table);
  checkUnique(table, key, [...unique.values()], (name) => dialect.quote(name));
  dialect.check?.({ table, columns: written, key }, existing, unique);
  return written;
}

/** The columns that are written, with the types that they have in a new table. */
export async function writtenColumns<Session, Database extends Session & Closing, Existing>(
  dialect: TableDialect<Session, Database, Existing>,
  session: Session,
  { schema, overrides }: Pick<TableOptions<Session, Database>, "schema" | "overrides">,
): Promise<readonly TargetColumn[]> {
  const columns: readonly RowColumn[] = schema.columns.filter(({ name }) => overrides.get(name) !== null);
  const typeOf = await dialect.newTypes(session, columns, schema.key);
  return columns.map((column) => ({ ...column, sqlType: overrides.get(column.name) ?? typeOf(column) }));
}
