import { SQL, type SqlFragment } from "../../../store/database/database.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";
import { timestampText } from "../../changes/timestamp-text.js";
import { plainMysql, quoteMysqlName, quoteMysqlText } from "./mysql-text.js";

/** Bytes that an InnoDB index can hold. */
const indexBytes = 3_072;

/** Bytes that a column of a type takes in an index; text columns share the rest. */
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

/** The longest decimal text of an integer of 256 bits: 78 digits and a sign. */
const digits = 79;

/**
 * Types of new columns.
 * DECIMAL of MySQL has 65 digits, so 256-bit integers are stored as text. JSON is text with a check: MySQL's own JSON
 * rounds long numbers. Text has a binary collation, so that it is compared byte by byte; in a key, it also does not
 * ignore trailing spaces.
 * @param exact a binary collation that does not ignore trailing spaces
 * @returns types by column name, as written in a column definition
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

/** A column of an existing table, from information_schema. */
export interface ExistingColumn {
  /** `varchar` */
  readonly kind: string;
  /** `varchar(66)` */
  readonly type: string;
  /** The maximum length in characters; `undefined` for other types than text. */
  readonly length: number | undefined;
  readonly charset: string | undefined;
  readonly collation: string | undefined;
}

/**
 * Whether an existing column holds every value of a type, without cutting or rounding. Text in a key may be as short
 * as an index requires: the server refuses longer values.
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

function wholeDigits(type: string): number {
  const [, precision = "0", scale = "0"] = /^decimal\((\d+),(\d+)\)$/.exec(type) ?? [];
  return Number(precision) - Number(scale);
}

/** Whether a key column distinguishes all texts, also by case, accents and trailing spaces. */
export function isExact({ charset, collation = "" }: ExistingColumn, flow: ValueType): boolean {
  return charset === undefined || keyBytes[flow] !== "text" || /_(?:nopad|0900)_bin$/.test(collation);
}

/** A value as SQL. */
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
      // As text, so that the column refuses infinity and NaN.
      return Number.isFinite(value) ? plainMysql(value) : quoteMysqlText(String(value));
    default:
      return quoteMysqlText(JSON.stringify(value));
  }
}
