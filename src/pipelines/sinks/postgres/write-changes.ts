import { DatabaseError, SQL, type Sql, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import { arrayText } from "../../../store/database/sql-array.js";
import type { StoredRows } from "../../changes/stored-rows.js";
import type { TargetColumn, WriteChanges, WrittenTable } from "../tables/table-dialect.js";
import { castType, postgresText } from "./column-types.js";

/** Rows of one statement. Few, because the next statement's rows are converted to text while this one runs. */
const chunk = 2_500;

/** Rows of one statement, with values from the SQL engine. */
const storedChunk = 10_000;

/** Prepares to write changes into a table: deletes by key, then inserts or updates each other row once. */
export function changeWriter(into: WrittenTable): WriteChanges<Sql> {
  const { columns } = into;
  // Without a key, all columns identify a row.
  const key = into.key.length === 0 ? columns : columns.filter(({ name }) => into.key.includes(name));
  const [deletion, insertion] = [deletionOf(into, key), insertionOf(into)];
  return async (sql, { operations, rows, schema }) => {
    const deleted = operations.filter((operation) => operation === "d").length;
    const texts = (of: readonly TargetColumn[], start: number, end: number): string[] =>
      of.map(({ name, type }) => {
        const index = schema.columns.findIndex((one) => one.name === name);
        return arrayText(
          (rows.columns[index] ?? []).slice(start, end).map((value) => postgresText(value, type)),
        );
      });
    for (let start = 0; start < deleted; start += chunk)
      await sql.query(deletion, texts(key, start, Math.min(start + chunk, deleted)));
    let running: Promise<unknown> = Promise.resolve();
    for (let start = deleted; start < rows.count; start += chunk) {
      const parameters = texts(columns, start, Math.min(start + chunk, rows.count));
      await running;
      running = sql.query(insertion, parameters);
      // It is awaited above or below; until then, a rejection must not count as unhandled.
      running.catch(() => undefined);
    }
    await running;
  };
}

/**
 * Inserts rows from the SQL engine, or updates those whose keys exist.
 * @returns why the fastest way failed, if it did
 */
export async function writeStored(
  sql: Sql,
  into: WrittenTable,
  stored: StoredRows,
): Promise<string | undefined> {
  const why = await copyFailure(sql, into, stored);
  if (why === null) return undefined;
  const insertion = insertionOf(into);
  let running: Promise<unknown> = Promise.resolve();
  const names = into.columns.map(({ name }) => name);
  for await (const texts of stored.arrays(names, storedChunk)) {
    await running;
    running = sql.query(insertion, texts);
    // It is awaited above or below; until then, a rejection must not count as unhandled.
    running.catch(() => undefined);
  }
  await running;
  return why;
}

/**
 * Adds rows with COPY, which is the fastest way but cannot update.
 * @returns null if all rows were added. Otherwise none was, and the result is the database's message: a key exists
 * already, or another problem that an insert may have too. `undefined` if COPY is not available
 */
async function copyFailure(
  sql: Sql,
  { table: { schema, name }, columns }: WrittenTable,
  stored: StoredRows,
): Promise<string | null | undefined> {
  if (!sql.copy) return undefined;
  const names = columns.map((column) => column.name);
  await sql.run(SQL`savepoint graphloom_copy`);
  try {
    await sql.copy(
      SQL`copy ${quoteNames(schema, name)} (${names.map(quoteName)}) from stdin (format csv)`,
      stored.csv(names),
    );
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await sql.run(SQL`rollback to savepoint graphloom_copy`);
    return error.message;
  }
  await sql.run(SQL`release savepoint graphloom_copy`);
  return null;
}

/** The parameters as a table that has a column for each. */
function given(columns: readonly TargetColumn[]): SqlFragment {
  const arrays = columns.map((_, index) => SQL`$${index + 1}::text[]`);
  return SQL`unnest(${arrays}) as given (${columns.map(({ name }) => quoteName(name))})`;
}

function typed({ name, sqlType }: TargetColumn): SqlFragment {
  return SQL`given.${quoteName(name)}::${castType(sqlType)}`;
}

function deletionOf(into: WrittenTable, key: readonly TargetColumn[]): SqlFragment {
  const table = quoteNames(into.table.schema, into.table.name);
  const left = SQL`(${key.map(({ name }) => SQL`t.${quoteName(name)}`)})`;
  const right = SQL`(${key.map(typed)})`;
  if (into.key.length > 0) return SQL`delete from ${table} t using ${given(key)} where ${left} = ${right}`;
  // Each given row deletes one of several equal rows.
  return SQL`with wanted as (
      select ${key.map((column) => SQL`${typed(column)} as ${quoteName(column.name)}`)}, count(*) as copies from ${given(key)} group by ${key.map((_, index) => SQL`${index + 1}`)}
    ), found as (
      select t.ctid as place, row_number() over (partition by ${key.map(({ name }) => SQL`t.${quoteName(name)}`)}) as number, w.copies
      from ${table} t join wanted w on (${key.map(({ name }) => SQL`t.${quoteName(name)}`)}) is not distinct from (${key.map(({ name }) => SQL`w.${quoteName(name)}`)})
    ) delete from ${table} where ctid in (select place from found where number <= copies)`;
}

function insertionOf({ table: { schema, name: of }, columns, key, onConflict }: WrittenTable): SqlFragment {
  const table = quoteNames(schema, of);
  const names = columns.map(({ name }) => quoteName(name));
  const insert = SQL`insert into ${table} (${names}) select ${columns.map(typed)} from ${given(columns)}`;
  if (key.length === 0) return insert;
  const others = columns.filter(({ name }) => !key.includes(name)).map(({ name }) => quoteName(name));
  const target = SQL`on conflict (${key.map(quoteName)})`;
  if (onConflict === "nothing" || others.length === 0) return SQL`${insert} ${target} do nothing`;
  return SQL`${insert} ${target} do update set ${others.map((name) => SQL`${name} = excluded.${name}`)}`;
}
