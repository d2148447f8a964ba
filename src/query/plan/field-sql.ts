import { SQL, type SqlFragment } from "../../store/database/database.js";
import type { EntityColumn } from "../../store/tables/layout.js";
import { QueryError } from "../query-error.js";
import { decodeHex, int8 } from "../request/decode.js";
import type { Condition } from "./condition.js";
import type { Statement } from "./statement.js";
import { columnOf, columnSql, type Rows } from "./tables.js";

type FieldCondition = Extract<Condition, { kind: "field" }>;
type Op = FieldCondition["op"];

/** Writes a condition on a column. @throws QueryError for conditions that graph-node's store refuses */
export function fieldSql(
  { field, op, value }: FieldCondition,
  rows: Rows,
  statement: Statement,
): SqlFragment {
  const column = columnOf(rows.table, field.name);
  const sql = columnSql(rows, column.name);
  if (value === null) return nullSql(op, sql);
  const given = storedForm(column, value, op);
  if (typeof given !== "string") {
    return column.list
      ? listSql(column, sql, op, given, statement)
      : memberSql(column, sql, op, given, statement);
  }
  const operator = operators[op];
  return operator === undefined
    ? patternSql(column, sql, op, given, statement)
    : comparisonSql(column, sql, operator, given, statement);
}

const equals = SQL`=`;
const operators: Partial<Record<Op, SqlFragment>> = {
  eq: equals,
  not: SQL`<>`,
  gt: SQL`>`,
  lt: SQL`<`,
  gte: SQL`>=`,
  lte: SQL`<=`,
};

const failed = "Failed to get entities from store: ";

function nullSql(op: Op, sql: SqlFragment): SqlFragment {
  if (op === "eq") return SQL`${sql} is null`;
  if (op === "not") return SQL`${sql} is not null`;
  if (op.includes("contains")) throw storeError(failed + unsupported(op.replace("_nocase", ""), "null"));
  const name = operators[op] ?? ` ${isNegated(op) ? "not " : ""}${ignoresCase(op) ? "ilike" : "like"} `;
  throw storeError(`Store error: ${unsupported(name, "null")}`);
}

const isNegated = (op: Op): boolean => op.startsWith("not_");
const ignoresCase = (op: Op): boolean => op.endsWith("_nocase");

function unsupported(op: string, value: string): string {
  return `unsupported filter \`${op}\` for value \`${value}\``;
}

/** Converts a reference, which clients write as a string, to the form of the id it refers to. */
function storedForm(
  column: EntityColumn,
  value: string | readonly string[],
  op: Op,
): string | readonly string[] {
  if (column.kind !== "reference") return value;
  if (typeof value !== "string") {
    const prefix = column.list ? failed : undefined;
    return value.map((one) => idForm(one, column.scalar, prefix));
  }
  if (column.scalar === "Bytes") refuseTextOps(op, value);
  return idForm(value, column.scalar);
}

/** The operators that the API offers for strings and the database lacks for bytes. */
function refuseTextOps(op: Op, value: string): void {
  if (/contains_nocase/.test(op)) throw storeError(`Store error: ${unsupported(op, value)}`);
  if (!/starts_with|ends_with/.test(op)) return;
  const operator = `${isNegated(op) ? "!" : ""}~~${ignoresCase(op) ? "*" : ""}`;
  throw storeError(`${failed}operator does not exist: bytea ${operator} text`);
}

/**
 * Converts an id to the database's form.
 * @param scalar the scalar of the ids
 * @param prefix the start of the message for an invalid id
 * @throws QueryError for an invalid id of that kind
 */
export function idForm(text: string, scalar: string, prefix = "Store error: store error: "): string {
  try {
    if (scalar === "Bytes") return `\\x${decodeHex(text, (reason) => prefix + reason)}`;
    if (scalar !== "Int8") return text;
    return int8(text, (reason) => `${prefix}failed to convert \`${text}\` to an Int8: ${reason}`);
  } catch (error) {
    throw error instanceof QueryError ? storeError(error.message) : error;
  }
}

function storeError(message: string): QueryError {
  return new QueryError(message, { attestable: false });
}

function comparisonSql(
  { sqlType, codec: { prefix } }: EntityColumn,
  sql: SqlFragment,
  operator: SqlFragment,
  value: string,
  statement: Statement,
): SqlFragment {
  const given = statement.bind(value, sqlType);
  // A short value equals its prefix, so the index alone decides.
  if (prefix?.isShort(value)) return SQL`${prefix.sql(sql)} ${operator} ${given}`;
  const exact = SQL`${sql} ${operator} ${given}`;
  return prefix && operator === equals
    ? SQL`(${prefix.sql(sql)} = ${prefix.sql(given)} and ${exact})`
    : exact;
}

function memberSql(
  { sqlType, codec: { prefix } }: EntityColumn,
  sql: SqlFragment,
  op: Op,
  values: readonly string[],
  statement: Statement,
): SqlFragment {
  // An empty `not_in` also matches nothing, as in graph-node.
  if (values.length === 0) return SQL`false`;
  const compared = prefix && values.every(prefix.isShort) ? prefix.sql(sql) : sql;
  const given = statement.bindList(values, sqlType);
  return op === "in" ? SQL`${compared} = any(${given})` : SQL`${compared} <> all(${given})`;
}

function listSql(
  { sqlType }: EntityColumn,
  sql: SqlFragment,
  op: Op,
  values: readonly string[],
  statement: Statement,
): SqlFragment {
  if (ignoresCase(op)) {
    const given = statement.bindList(values, SQL`text`);
    const some = SQL`exists (select 1 from unnest(${sql}) i(v) where i.v::text collate "C" ilike any(${given}))`;
    return isNegated(op) ? SQL`not ${some}` : some;
  }
  const given = statement.bindList(values, sqlType);
  if (op === "contains") return SQL`${sql} @> ${given}`;
  if (op === "not_contains") return SQL`not (${sql} && ${given})`;
  return SQL`${sql} ${op === "not" ? SQL`<>` : equals} ${given}`;
}

function patternSql(
  { scalar, codec: { prefix } }: EntityColumn,
  sql: SqlFragment,
  op: Op,
  value: string,
  statement: Statement,
): SqlFragment {
  const not = isNegated(op) ? SQL`not ` : SQL``;
  if (scalar === "Bytes") return SQL`${not}position(${statement.bind(value, SQL`bytea`)} in ${sql}) > 0`;
  const pattern = statement.bind(patternOf(op, value), SQL`text`);
  if (ignoresCase(op)) return SQL`${sql} collate "C" ${not}ilike ${pattern}`;
  // The index holds the prefix of a string. It helps if no character of the pattern's prefix is a wildcard.
  const isPlain = op === "starts_with" && prefix?.isShort(value) && !/[%_\\]/.test(value);
  return SQL`${prefix && isPlain ? prefix.sql(sql) : sql} ${not}like ${pattern}`;
}

function patternOf(op: Op, value: string): string {
  if (op.includes("starts_with")) return `${value}%`;
  if (op.includes("ends_with")) return `%${value}`;
  return value.startsWith("%") || value.endsWith("%") ? value : `%${value}%`;
}
