import { cell } from "../../../store/database/columns.js";
import { type Database, joinFragments, SQL, type SqlFragment } from "../../../store/database/database.js";
import { quoteName, quoteNames } from "../../../store/database/quote.js";
import { arrayText } from "../../../store/database/sql-array.js";
import type { PlannedLookup } from "../../plan/pipeline-plan.js";
import { sinkErrorOf } from "../../sinks/postgres/postgres-error.js";
import { type LookedUpTable, longestText } from "./cached-rows.js";
import { checkKeyColumns, type KeyType, keysInRange, namedTable } from "./lookup-key.js";

/** Milliseconds that a query may take. */
const longestQuery = 30_000;

/** Types of columns that can be a key, and what texts are cast to so that an index serves. */
const keyTypes: Readonly<Record<string, KeyType & { readonly cast: SqlFragment }>> = {
  text: { kind: "text", cast: SQL`text` },
  varchar: { kind: "text", cast: SQL`text` },
  bpchar: { kind: "text", cast: SQL`bpchar` },
  int2: { kind: "integer", bits: 15n, cast: SQL`int2` },
  int4: { kind: "integer", bits: 31n, cast: SQL`int4` },
  int8: { kind: "integer", bits: 63n, cast: SQL`int8` },
  numeric: { kind: "integer", bits: 256n, cast: SQL`numeric` },
};

/**
 * Opens a table of PostgreSQL for lookups. Nothing is written.
 * @throws SinkError, TransformError
 */
export async function openPostgresRows(database: Database, planned: PlannedLookup): Promise<LookedUpTable> {
  const { schema, table, from } = namedTable(planned);
  const read: Database["query"] = async (...given) => {
    try {
      // A transaction of its own, since only that keeps functions of a view from writing.
      const options = { snapshot: true, statementTimeout: longestQuery };
      return await database.transaction((sql) => sql.query(...given), options);
    } catch (error) {
      throw sinkErrorOf(error);
    }
  };
  const found = await read(
    SQL`select a.attname::text as name, t.typname::text as type from pg_attribute a join pg_type t on t.oid = a.atttypid
      join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = $1::text and c.relname = $2::text and a.attnum > 0 and not a.attisdropped`,
    [schema ?? "public", table],
  );
  const existing = new Map(found.map((row) => [cell(row, "name"), cell(row, "type")]));
  const types = checkKeyColumns(planned, existing, keyTypes);
  const name = quoteNames(schema ?? "public", table);
  const columns = planned.columns.map((column, index) => {
    const value = SQL`t.${quoteName(column.name)}::text`;
    return SQL`left(${value}, ${longestText + 1}) as ${quoteName(`c${index}`)}`;
  });
  const since = from === undefined ? [] : [SQL`t.${quoteName(from)}::text as since`];
  const keys = planned.key.map((_, index) => quoteName(`k${index}`));
  const given = types.map(({ cast }, index) => SQL`$${index + 1}::${cast}[]`);
  const equal = planned.key.map(
    (column, index) => SQL`t.${quoteName(column)} = wanted.${keys[index] ?? SQL``}`,
  );
  const statement = SQL`select ${[...columns, ...since]} from ${name} as t
    join unnest(${given}) as wanted(${keys}) on ${joinFragments(equal, SQL` and `)}`;
  return {
    async read(wanted, most) {
      const fitting = keysInRange(wanted, types);
      const texts = types.map((_, index) => arrayText(fitting.map((key) => key[index] ?? null)));
      const rows = await read(SQL`${statement} limit ${most}`, texts);
      return rows.map((row) => [
        ...planned.columns.map((_, index) => row[`c${index}`] ?? null),
        ...(from === undefined ? [] : [row.since ?? null]),
      ]);
    },
    close: () => database.close(),
  };
}
