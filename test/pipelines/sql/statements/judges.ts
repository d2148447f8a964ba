import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { literal, quoted } from "../../../../src/base/text/sql-quotes.js";
import type { RowValue } from "../../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../../src/pipelines/changes/schema.js";
import { type Database, uncheckedSql } from "../../../../src/store/database/database.js";

type RowObject = Readonly<Record<string, RowValue>>;

/** Runs a statement once over a whole table, outside of the pipeline. @returns its rows, with all values as text */
export type Judge = (sql: string, columns: readonly RowColumn[]) => Promise<readonly RowObject[]>;

/** A judge, and the type that integers of 256 bits have in it. */
const widest = { duckdb: "HUGEINT", postgres: "NUMERIC(78, 0)" } as const;

/** The statements that create the table and put all rows into it. */
function tableOf(engine: keyof typeof widest, rows: readonly RowObject[]): string {
  const [first = {}] = rows;
  const typeOf = (name: string): string => {
    if (name === "amount") return widest[engine];
    return typeof first[name] === "bigint" ? "BIGINT" : "VARCHAR";
  };
  const value = (one: RowValue | undefined): string =>
    one === null || one === undefined ? "NULL" : literal(String(one));
  const names = Object.keys(first);
  const lines = rows.map((row) => `(${names.map((name) => value(row[name])).join(", ")})`);
  return `CREATE TABLE transfers (${names.map((name) => `${name} ${typeOf(name)}`).join(", ")});
INSERT INTO transfers VALUES ${lines.join(",\n")};`;
}

/** Each column as text: lists and structs as JSON. */
function texts(columns: readonly RowColumn[]): string {
  return columns
    .map(({ name, type }) => {
      const isNested = type === "JSON" || type === "ARRAY<STRING>";
      const text = isNested ? `to_json(${quoted(name)})` : quoted(name);
      return `CAST(${text} AS VARCHAR) AS ${quoted(name)}`;
    })
    .join(", ");
}

const whole = (sql: string): string => `(${sql.replace(/;\s*$/, "")}\n) AS whole`;

/** DuckDB as it is, without anything of ours. */
export async function duckDbJudge(
  rows: readonly RowObject[],
): Promise<{ readonly judge: Judge; readonly close: () => void }> {
  const instance = await DuckDBInstance.create();
  const connection: DuckDBConnection = await instance.connect();
  await connection.run("SET timezone = 'UTC'");
  await connection.run(tableOf("duckdb", rows));
  return {
    judge: async (sql, columns) => {
      const answer = await connection.runAndReadAll(`SELECT ${texts(columns)} FROM ${whole(sql)}`);
      return answer.getRowObjects() as readonly RowObject[];
    },
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** PostgreSQL. */
export async function postgresJudge(database: Database, rows: readonly RowObject[]): Promise<Judge> {
  await database.run(uncheckedSql(tableOf("postgres", rows)));
  return async (sql, columns) =>
    database.transaction(async (session) => {
      await session.query(uncheckedSql("SET LOCAL timezone = 'UTC'"));
      const answer = await session.query(uncheckedSql(`SELECT ${texts(columns)} FROM ${whole(sql)}`));
      return answer as readonly RowObject[];
    });
}
