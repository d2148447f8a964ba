import { createHash } from "node:crypto";
import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { SqlDialect, SqlPlace, Statement, StateTable } from "../../state/sql.js";
import { decimalNumeral } from "../../state/sql-tables.js";
import { type MysqlDatabase, MysqlError } from "../mysql-database.js";
import { quoteMysqlText, tableName } from "./mysql-text.js";

/** The most UTF-16 units of rows in one statement, since the server limits a statement's size. */
const partLength = 100_000;

const duplicateKey = 1062;

/** The state tables in a MySQL or MariaDB database. @param schema the database of the sink's table */
export function mysqlState(schema: string): SqlDialect<MysqlDatabase> {
  const table = (name: StateTable): SqlFragment => tableName({ schema, name: prefixed(name) });
  return {
    async prepare(database) {
      for (const statement of creation(table)) await database.run(statement);
    },

    async hasTable(database, name) {
      const { rows } = await database.run(
        SQL`select 1 from information_schema.tables
          where table_schema = ${quoteMysqlText(schema)} and table_name = ${quoteMysqlText(prefixed(name))}`,
      );
      return rows.length > 0;
    },

    ask: async (database, statement) => (await database.run(written(statement))).rows,
    update: async (database, statement) => (await database.run(written(statement))).changed > 0,

    async add(database, statement) {
      try {
        await database.run(written(statement));
        return true;
      } catch (error) {
        if (error instanceof MysqlError && error.number === duplicateKey) return false;
        throw error;
      }
    },

    table,

    // Names of owners have any length, so a hash identifies them.
    owner: (place) => [[SQL`owner`, ownerOf(place)]],
    target: (place) => place.table.name,
    labels: ({ flow, sink, table: { name } }, bind) => [
      [SQL`flow`, bind(flow)],
      [SQL`sink`, bind(sink)],
      [SQL`target`, bind(name)],
    ],

    onConflict: (_, replaced) =>
      SQL`on duplicate key update ${replaced.map((column) => SQL`${column} = values(${column})`)}`,

    source: SQL`convert(source using utf8mb4)`,
    lock: SQL` for update`,
    numeral: decimalNumeral,
    now: SQL`unix_timestamp() * 1000`,
    since: SQL`since`,
    made: () => [SQL`is_made`, SQL`true`],

    columns: {
      rows: SQL`content`,
      held: SQL`held`,
      sum: SQL`hash`,
      part: SQL`part`,
      parkedSource: undefined,
    },
    partsOf,
  };
}

function prefixed(name: StateTable): string {
  return `graphloom_flows_${name}`;
}

function creation(table: (name: StateTable) => SqlFragment): readonly SqlFragment[] {
  const binary = SQL`engine = InnoDB row_format = dynamic character set utf8mb4 collate utf8mb4_bin`;
  const text = SQL`varbinary(1000) not null`;
  return [
    SQL`create table if not exists ${table("positions")} (
      owner binary(32) not null, source ${text}, flow text not null, sink text not null, target text not null,
      next bigint not null, version bigint not null, primary key (owner, source)) ${binary}`,
    SQL`create table if not exists ${table("open_blocks")} (
      owner binary(32) not null, source ${text}, number bigint not null, part int not null,
      hash text not null, content longtext not null, primary key (owner, source, number, part)) ${binary}`,
    SQL`create table if not exists ${table("ledger")} (
      owner binary(32) not null, source ${text}, first bigint not null, last bigint not null,
      held bigint not null, hash decimal(39,0) not null, primary key (owner, source, first)) ${binary}`,
    SQL`create table if not exists ${table("parked")} (
      owner binary(32) not null, number bigint not null, part int not null, content longtext not null,
      primary key (owner, number, part)) ${binary}`,
    SQL`create table if not exists ${table("writers")} (
      owner binary(32) not null, source ${text}, process text not null, since bigint not null,
      primary key (owner, source)) ${binary}`,
    SQL`create table if not exists ${table("lineages")} (
      owner binary(32) not null, lineage longtext, is_made boolean not null default false, primary key (owner)) ${binary}`,
  ];
}

function ownerOf({ flow, sink, table }: SqlPlace): SqlFragment {
  const hash = createHash("sha256")
    .update(JSON.stringify([flow, sink, table.name]))
    .digest("hex");
  return SQL`unhex(${quoteMysqlText(hash)})`;
}

function written(statement: Statement): SqlFragment {
  return statement(quoteMysqlText);
}

/** Cuts a text without splitting surrogate pairs. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const isPair = /[\ud800-\udbff]/.test(text.charAt(start + partLength - 1));
    const end = start + partLength - (isPair ? 1 : 0);
    parts.push(text.slice(start, end));
    start = end;
  }
  return parts;
}
