import { cell } from "../../../store/database/columns.js";
import { SQL, type SqlFragment } from "../../../store/database/database.js";
import { SinkError } from "../../state/sink-error.js";
import type { MysqlDatabase } from "../mysql-database.js";
import { type RefusedRow, RowError } from "../sink.js";
import { sameSet } from "../tables/check-table.js";
import type { ComparedTable, Comparison, TableDialect, TargetColumn } from "../tables/table-dialect.js";
import { type TargetTable, tableText } from "../tables/target-table.js";
import { refusedChanges, undone } from "../tables/unfit-rows.js";
import { type ExistingColumn, holds, isExact, newColumnTypes } from "./column-types.js";
import { ComparedCopies } from "./compared-copies.js";
import { ComparedKeys } from "./compared-keys.js";
import type { ComparedTables } from "./comparison.js";
import { isUnfit, mysqlSinkError } from "./mysql-error.js";
import { quoteMysqlName, quoteMysqlText, tableName } from "./mysql-text.js";
import { mysqlState } from "./state-tables.js";
import { changeWriter } from "./write-changes.js";

/** Tables of a MySQL or MariaDB database. */
export const mysqlTables: TableDialect<MysqlDatabase, MysqlDatabase, ExistingColumn> = {
  sinkError: mysqlSinkError,
  isUnfit,
  state: ({ schema }) => mysqlState(schema),
  transaction: (database, work) => database.transaction(() => work(database)),
  ask: async (database, statement) => (await database.run(statement)).rows,
  quote: quoteMysqlName,
  name: tableName,
  async prepare(database, table) {
    await createSchema(database, table.schema);
    await checkEngine(database, table);
  },
  columnsOf,
  uniqueIndexes,
  async newTypes(database, columns, key) {
    const types = newColumnTypes(columns, key, exactCollations[await exactCollation(database)]);
    return ({ name }) => types.get(name) ?? SQL``;
  },
  async create(database, table, columns, key, onCreate) {
    await database.transaction(() => onCreate(database));
    await createTable(database, table, columns, key);
    return true;
  },
  addColumn: SQL`add column`,
  rules: {
    typeOf: ({ type, charset }) => (charset === undefined ? type : `${type} character set ${charset}`),
    holds: (found, { type }, isKey) => holds(found, type, isKey),
  },
  check({ table, columns, key }, existing, unique) {
    for (const { name, type, sqlType } of columns.filter((column) => key.includes(column.name))) {
      const found = existing.get(name);
      if (found && !isExact(found, type)) throw inexactKey(table, name, found, sqlType);
    }
    for (const [index, of] of unique)
      if (key.length > 0 && sameSet(of) !== sameSet(key)) throw secondIndex(table, index, of);
  },
  writer: changeWriter,
  refused: (database, _, changes, write) =>
    undone(
      (work) => database.transaction(() => work(database)),
      async () => {
        const refused = await refusedChanges(changes, async (some) => {
          await database.run(SQL`savepoint graphloom_rows`);
          const failure = await failureOf(() => write(database, some));
          if (failure) await database.run(SQL`rollback to savepoint graphloom_rows`);
          return failure;
        });
        return refused.map(withoutNumber);
      },
    ),
  dropsAtOnce: true,
  audits: {
    async run(database, work) {
      try {
        const result = await work(database);
        await database.run(SQL`commit`);
        return result;
      } catch (error) {
        // Losing the connection also rolls the transaction back.
        await database.run(SQL`rollback`).catch(() => undefined);
        throw error;
      }
    },
    // A transaction sees the positions and ledgers of one moment.
    snapshot: (database, _, work) => database.transaction(() => work(database)),
    // From here on, no one else writes, so each read sees the final state.
    async hold(database, _table, _mends, holdState) {
      await database.run(SQL`start transaction`);
      await holdState();
    },
    async compare(database, compared) {
      const indexes = [...(await uniqueIndexes(database, compared.table)).values()];
      return compareTables(
        database,
        compared,
        indexes.some((index) => sameSet(index) === sameSet(compared.key)),
      );
    },
    // Most of an audit runs outside of transactions, so nothing is rolled back: rows with a key are overwritten.
    async put(database, { key }, write, changes) {
      const failure = await failureOf(() => write(database, changes));
      const why = failure?.message.replace(/ at row \d+$/, "");
      if (why === undefined || key.length > 0) return why;
      throw new SinkError(`The table cannot be compared: rows do not fit into its columns: ${why}.`, false);
    },
  },
};

/**
 * Prepares to compare a table with temporary tables of expected rows. Closing the connection drops them.
 * @param isUnique whether the table has at most one row for each key
 * @throws MysqlError
 */
async function compareTables(
  database: MysqlDatabase,
  { table, columns, key, sources, most }: ComparedTable,
  isUnique: boolean,
): Promise<Comparison> {
  const { schema } = table;
  const expected = Array.from({ length: sources }, (_, index) => ({
    schema,
    name: `graphloom_expected_${index}`,
  }));
  const tables: ComparedTables = {
    stored: tableName(table),
    expected: expected.map(tableName),
    differences: tableName({ schema, name: "graphloom_differences" }),
  };
  const names = columns.map(({ name }) => name);
  const index = key.length === 0 ? SQL`` : SQL`(primary key (${key.map(quoteMysqlName)}))`;
  // A deletion that names its table by an alias needs a current database.
  await database.run(SQL`use ${quoteMysqlName(schema)}`);
  for (const one of tables.expected)
    await database.run(
      SQL`create temporary table ${one} ${index} engine = InnoDB row_format = dynamic as select ${names.map(quoteMysqlName)} from ${tables.stored} limit 0`,
    );
  const comparison =
    key.length === 0
      ? new ComparedCopies(database, tables, names, most)
      : new ComparedKeys(database, tables, { columns: names, key, isUnique, most });
  return {
    expected,
    compare: (isWhole) => comparison.compare(isWhole),
    async differs() {
      const { rows } = await database.run(SQL`select 1 from ${tables.differences} limit 1`);
      await database.run(SQL`drop temporary table ${tables.differences}`);
      return rows.length > 0;
    },
    found: () => comparison.found(),
    mend: () => comparison.mend(),
  };
}

/** Does some work. @returns the error if a row is to blame */
async function failureOf(work: () => Promise<void>): Promise<Error | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof RowError || isUnfit(error)) return error;
    throw error;
  }
}

/** A refused row is written by a statement of its own, so the number of the row in the error says nothing. */
function withoutNumber({ why, ...refused }: RefusedRow): RefusedRow {
  return { ...refused, why: why.replace(/ at row 1$/, "") };
}

/** Creates the table's database if it does not exist. @throws MysqlError */
async function createSchema(database: MysqlDatabase, schema: string): Promise<void> {
  const { rows } = await database.run(
    SQL`select 1 from information_schema.schemata where schema_name = ${quoteMysqlText(schema)}`,
  );
  if (rows.length === 0)
    await database.run(SQL`create database if not exists ${quoteMysqlName(schema)} character set utf8mb4`);
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

/** Checks the engine of a table, if it exists. @throws SinkError if it has no transactions */
async function checkEngine(database: MysqlDatabase, table: TargetTable): Promise<void> {
  const { rows } = await database.run(
    SQL`select t.engine as name, e.transactions as transactions from information_schema.tables t
      left join information_schema.engines e on e.engine = t.engine where ${inTable(table)}`,
  );
  const [found] = rows;
  if (!found || found.transactions === "YES") return;
  const what =
    found.name === null ? "is a view" : `has the engine ${found.name}, which knows no transactions`;
  throw new SinkError(
    `Table ${tableText(table)} ${what}, so rows and position could not be written together. Choose a table with: engine = InnoDB`,
    false,
  );
}

/** The columns of a table, by name; empty if it does not exist. @throws MysqlError */
async function columnsOf(
  database: MysqlDatabase,
  table: TargetTable,
): Promise<ReadonlyMap<string, ExistingColumn>> {
  const { rows } = await database.run(
    SQL`select column_name as name, data_type as kind, column_type as type, character_maximum_length as length,
        character_set_name as charset, collation_name as collation
      from information_schema.columns where ${inTable(table)}`,
  );
  return new Map(
    rows.map((row) => [
      cell(row, "name"),
      {
        kind: cell(row, "kind"),
        type: cell(row, "type"),
        length: row.length == null ? undefined : Number(row.length),
        charset: row.charset ?? undefined,
        collation: row.collation ?? undefined,
      },
    ]),
  );
}

/** The columns of unique indexes, by index name. An index on a prefix of a column does not count. */
async function uniqueIndexes(
  database: MysqlDatabase,
  table: TargetTable,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const { rows } = await database.run(
    SQL`select index_name as name, column_name as col, sub_part as part from information_schema.statistics
      where ${inTable(table)} and non_unique = 0 order by index_name, seq_in_index`,
  );
  const indexes = new Map<string, string[]>();
  for (const row of rows) {
    const name = cell(row, "name");
    // An index on an expression names no column.
    const column = row.part === null ? (row.col ?? "") : `${row.col}(${row.part})`;
    indexes.set(name, [...(indexes.get(name) ?? []), column]);
  }
  return indexes;
}

/** Uses an engine with transactions and room for long keys. */
async function createTable(
  database: MysqlDatabase,
  table: TargetTable,
  columns: readonly TargetColumn[],
  key: readonly string[],
): Promise<void> {
  const collation = exactCollations[await exactCollation(database)];
  const lines = columns.map(
    ({ name, sqlType }) =>
      SQL`${quoteMysqlName(name)} ${sqlType}${key.includes(name) ? SQL` not null` : SQL``}`,
  );
  const keyLine = key.length === 0 ? [] : [SQL`primary key (${key.map(quoteMysqlName)})`];
  await database.run(
    SQL`create table ${tableName(table)} (${[...lines, ...keyLine]}) engine = InnoDB row_format = dynamic character set utf8mb4 collate ${collation}`,
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
