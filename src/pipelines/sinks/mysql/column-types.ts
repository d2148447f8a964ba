import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";
import { timestampText } from "../../changes/timestamp-text.js";
import { plainMysql, quoteMysqlName, quoteMysqlText } from "./mysql-text.js";

/** Bytes that an index of InnoDB holds. */
const indexBytes = 3_072;

/** Bytes that a column of a type takes in an index; text shares what is left. */
const keyBytes: Readonly<Record<ValueType, number | "text">> = {
  STRING: "text",
  JSON: "text",
  LONG: 8,
  DOUBLE: 8,
  DECIMAL: 79,
  NUMERIC: "text",
  BOOLEAN: 1,
  TIMESTAMP: 8,
  "ARRAY<STRING>": "text",
};

/** Longest decimal text of an integer of 256 bits: 78 digits and a sign. */
const digits = 79;

/**
 * Types of new columns.
 *
 * DECIMAL of MySQL has 65 digits, so integers of 256 bits are text. JSON is text that is checked: MySQL's own JSON rounds
 * long numbers. Text has a binary collation, so that nothing is compared otherwise than it is; that of a key does not
 * ignore spaces at the end, either.
 * @param exact a binary collation that does not ignore spaces at the end
 * @returns types by the names of columns, as they stand in a definition of a column
 */
export function newColumnTypes(
  columns: readonly RowColumn[],
  key: readonly string[],
  exact: SqlFragment,
): ReadonlyMap<string, SqlFragment> {
  const text = SQL`character set utf8mb4 collate ${exact}`;
  const inKey = columns.filter(({ name }) => key.includes(name));
  const texts = inKey.filter(({ type }) => keyBytes[type] === "text").length;
  const taken = inKey.reduce((sum, { type }) => sum + (Number(keyBytes[type]) || 0), 0);
  const length = texts === 0 ? 0 : Math.floor((indexBytes - taken) / 4 / texts);
  return new Map(
    columns.map(({ name, type }) => {
      if (key.includes(name) && keyBytes[type] === "text") return [name, SQL`varchar(${length}) ${text}`];
      return [name, typeOf(type, name, text)];
    }),
  );
}

function typeOf(type: ValueType, name: string, text: SqlFragment): SqlFragment {
  switch (type) {
    case "STRING":
    case "NUMERIC":
      return SQL`longtext ${text}`;
    case "JSON":
    case "ARRAY<STRING>":
      return SQL`longtext ${text} check (json_valid(${quoteMysqlName(name)}))`;
    case "LONG":
      return SQL`bigint`;
    case "DOUBLE":
      return SQL`double`;
    case "DECIMAL":
      return SQL`varchar(${digits}) character set ascii collate ascii_bin`;
    case "BOOLEAN":
      return SQL`boolean`;
    case "TIMESTAMP":
      return SQL`datetime(6)`;
  }
}

/** A column of a table that exists, as information_schema has it. */
export interface ExistingColumn {
  /** `varchar` */
  readonly kind: string;
  /** `varchar(66)` */
  readonly type: string;
  /** Characters that it holds; `undefined` for one that is no text. */
  readonly length: number | undefined;
  readonly charset: string | undefined;
  readonly collation: string | undefined;
}

/**
 * Whether an existing column holds every value of a type, so that nothing is cut or rounded. Text of a key may be as
 * short as an index requires: a longer value is refused.
 */
export function holds(
  { kind, type, length = 0, charset }: ExistingColumn,
  flow: ValueType,
  isKey: boolean,
): boolean {
  const isUnicode = charset === "utf8mb4" || /^(?:var)?binary$|blob$/.test(kind);
  const isLong = isUnicode && (length >= 2 ** 24 || (isKey && length >= 255));
  switch (flow) {
    case "STRING":
    case "JSON":
    case "NUMERIC":
    case "ARRAY<STRING>":
      return isLong;
    case "LONG":
      return type === "bigint" || /^bigint\(\d+\)$/.test(type) || wholeDigits(type) >= 19;
    case "DOUBLE":
      return type === "double";
    case "DECIMAL":
      return length >= digits;
    case "BOOLEAN":
      return /^tinyint(?:\(\d+\))?$/.test(type);
    case "TIMESTAMP":
      return type === "datetime(6)";
  }
}

/** Digits before the decimal point of a decimal column. */
function wholeDigits(type: string): number {
  const [, precision = "0", scale = "0"] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? [];
  return Number(precision) - Number(scale);
}

/** Whether a column of a key tells all texts of a type apart: upper case, accents and spaces at the end. */
export function isExact({ charset, collation = "" }: ExistingColumn, flow: ValueType): boolean {
  return charset === undefined || keyBytes[flow] !== "text" || /_(?:nopad|0900)_bin$/.test(collation);
}

/** A value in SQL. */
export function literal(value: RowValue, type: ValueType): SqlFragment {
  if (value === null) return SQL`null`;
  if (type === "TIMESTAMP")
    return quoteMysqlText(
      timestampText(value as bigint)
        .replace("T", " ")
        .replace("Z", ""),
    );
  switch (typeof value) {
    case "string":
      return quoteMysqlText(value);
    case "bigint":
    case "boolean":
      return plainMysql(value);
    case "number":
      // As text, infinity and what is no number are refused by the column.
      return Number.isFinite(value) ? plainMysql(value) : quoteMysqlText(String(value));
    default:
      return quoteMysqlText(JSON.stringify(value));
  }
}
