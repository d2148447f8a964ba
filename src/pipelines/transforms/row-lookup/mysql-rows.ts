import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { PlannedLookup } from "../../plan/pipeline-plan.js";
import { mysqlSinkError } from "../../sinks/mysql/mysql-error.js";
import { plainMysql, quoteMysqlName, quoteMysqlText, tableName } from "../../sinks/mysql/mysql-text.js";
import type { MysqlDatabase } from "../../sinks/mysql-database.js";
import { type LookedUpTable, longestText } from "./cached-rows.js";
import { checkKeyColumns, type KeyType, keysInRange, namedTable } from "./lookup-key.js";

/** Seconds that a query may take. */
const longestQuery = 30;

const text: KeyType = { kind: "text" };
/** Integers may have no sign, so they have one bit more. */
const integer = (bits: bigint): KeyType => ({ kind: "integer", bits });

/** Types of columns that can be a key. */
const keyTypes: Readonly<Record<string, KeyType>> = {
  char: text,
  varchar: text,
  tinytext: text,
  text,
  mediumtext: text,
  longtext: text,
  tinyint: integer(8n),
  smallint: integer(16n),
  mediumint: integer(24n),
  int: integer(32n),
  bigint: integer(64n),
  decimal: integer(256n),
};

/**
 * Opens a table of MySQL or MariaDB for lookups. Nothing is written.
 * @throws SinkError, TransformError
 */
export async function openMysqlRows(database: MysqlDatabase, planned: PlannedLookup): Promise<LookedUpTable> {
  const { schema, table, from } = namedTable(planned);
  const read = async (statement: SqlFragment): ReturnType<MysqlDatabase["run"]> => {
    try {
      return await database.run(statement);
    } catch (error) {
      throw mysqlSinkError(error);
    }
  };
  await limitSession(read);
  const place = schema === undefined ? SQL`database()` : quoteMysqlText(schema);
  const { rows: found } = await read(
    SQL`select column_name as name, data_type as type from information_schema.columns
      where table_schema = ${place} and table_name = ${quoteMysqlText(table)}`,
  );
  const existing = new Map(found.map(({ name, type }) => [name ?? "", (type ?? "").toLowerCase()]));
  const types = checkKeyColumns(planned, existing, keyTypes);
  const target = schema === undefined ? quoteMysqlName(table) : tableName({ schema, name: table });
  const columns = planned.columns.map(({ name, type }, index) => {
    const column = quoteMysqlName(name);
    const value =
      type === "BOOLEAN"
        ? SQL`case when ${column} then 'true' when not ${column} then 'false' end`
        : SQL`left(cast(${column} as char), ${longestText + 1})`;
    return SQL`${value} as ${quoteMysqlName(`c${index}`)}`;
  });
  const since = from === undefined ? [] : [SQL`cast(${quoteMysqlName(from)} as char) as since`];
  const keys = planned.key.map(quoteMysqlName);
  const literal = (value: string, index: number): SqlFragment =>
    types[index]?.kind === "text" ? quoteMysqlText(value) : plainMysql(BigInt(value));
  return {
    async read(wanted, most) {
      const fitting = keysInRange(wanted, types);
      if (fitting.length === 0) return [];
      const list = fitting.map((key) => SQL`(${key.map(literal)})`);
      const { rows } = await read(
        SQL`select ${[...columns, ...since]} from ${target} where (${keys}) in (${list}) limit ${most}`,
      );
      return rows.map((row) => [
        ...planned.columns.map((_, index) => row[`c${index}`] ?? null),
        ...(from === undefined ? [] : [row.since ?? null]),
      ]);
    },
    close: () => database.close(),
  };
}

/** Lets the session only read, and not for long. */
async function limitSession(
  read: (statement: SqlFragment) => ReturnType<MysqlDatabase["run"]>,
): Promise<void> {
  await read(SQL`set session transaction read only`);
  const { rows } = await read(SQL`select version() as version`);
  await read(
    /mariadb/i.test(rows[0]?.version ?? "")
      ? SQL`set session max_statement_time = ${longestQuery}`
      : SQL`set session max_execution_time = ${longestQuery * 1_000}`,
  );
}
