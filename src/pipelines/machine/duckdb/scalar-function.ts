import type { DuckDBConnection, DuckDBScalarFunction, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import { messageOf } from "../../../base/text/message-of.js";
import { quoted } from "../../../base/text/sql-quotes.js";
import {
  type AddedFunction,
  ownWords,
  type SqlFunction,
  type SqlValue,
  type SqlValueType,
} from "../../sql/sql-function.js";

type DuckDb = typeof import("@duckdb/node-api");

/** Adds a function of ours to a database. */
export async function addFunction(
  duckdb: DuckDb,
  connection: DuckDBConnection,
  added: AddedFunction,
): Promise<void> {
  if ("forms" in added)
    await connection.run(`create or replace macro ${quoted(added.name)}${added.forms.join(", ")}`);
  else connection.registerScalarFunction(scalarFunction(duckdb, added));
}

function scalarFunction(
  duckdb: DuckDb,
  { name, parameters, result, compute }: SqlFunction,
): DuckDBScalarFunction {
  const types = typesOf(duckdb);
  return duckdb.DuckDBScalarFunction.create({
    name,
    parameterTypes: parameters.map((type) => types[type]),
    returnType: types[result],
    mainFunction: (_, input, output) => {
      const columns = parameters.map((_type, index) => input.getColumnVector(index));
      for (let row = 0; row < input.rowCount; row += 1) {
        const values = columns.map((column) => column.getItem(row));
        output.setItem(row, made(duckdb, values.includes(null) ? null : answerOf(compute, values)));
      }
      output.flush();
    },
  });
}

function answerOf(compute: SqlFunction["compute"], values: readonly DuckDBValue[]): SqlValue | null {
  try {
    return compute(values.map(sqlValue));
  } catch (error) {
    // Of an error, DuckDB keeps only the message.
    throw new Error(ownWords + messageOf(error), { cause: error });
  }
}

function typesOf({
  BIGINT,
  BIGNUM,
  BOOLEAN,
  LIST,
  STRUCT,
  VARCHAR,
}: DuckDb): Readonly<Record<SqlValueType, DuckDBType>> {
  const texts = LIST(VARCHAR);
  return {
    text: VARCHAR,
    integer: BIGNUM,
    long: BIGINT,
    boolean: BOOLEAN,
    texts,
    decoded_log: STRUCT({ name: VARCHAR, event_signature: VARCHAR, event_params: texts }),
    decoded_call: STRUCT({ function: VARCHAR, decoded_inputs: texts, decoded_outputs: texts }),
  };
}

function sqlValue(value: DuckDBValue): SqlValue {
  return typeof value === "object" && value !== null && "items" in value
    ? (value.items as readonly string[])
    : (value as string | bigint);
}

function made(duckdb: DuckDb, value: SqlValue | null): DuckDBValue {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return duckdb.listValue(value);
  const entries = Object.entries(value as Readonly<Record<string, string | readonly string[] | null>>);
  return duckdb.structValue(Object.fromEntries(entries.map(([key, one]) => [key, made(duckdb, one)])));
}
