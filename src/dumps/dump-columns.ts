import type { SchemaElement } from "hyparquet";
import type { PageValue, RowValue } from "../datasets/parquet/page-values.js";
import type { FoundColumn } from "../datasets/parquet/parquet-rows.js";
import { decimalText, parseDecimal } from "../runtime/numbers/big-decimal.js";
import { bytesText } from "../store/database/bytea.js";
import type { SqlText } from "../store/database/database.js";
import { arrayText, parseArray } from "../store/database/sql-array.js";
import { parseTimestamp, timestampText } from "../store/database/timestamps.js";

/** How the values of a column are written in a dump. */
export type DumpType = keyof typeof forms;

/** A column of a file of a dump. Readers go by its position. */
export interface DumpColumn {
  /** As in the database. */
  readonly name: string;
  readonly type: DumpType;
  readonly isList: boolean;
  readonly isNullable: boolean;
}

/** A form of values in files. */
interface Form {
  readonly element: Pick<SchemaElement, "type" | "converted_type" | "logical_type">;
  /** From the database's text form. */
  readonly toFile: (text: string) => PageValue;
  /** To the database's text form. `undefined` for a value of another kind. */
  readonly toSql: (value: PageValue) => string | undefined;
}

const utf8 = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } } as const;
const micros = { type: "TIMESTAMP", isAdjustedToUTC: false, unit: "MICROS" } as const;
const same = (text: string): string => text;

const forms = {
  boolean: {
    element: { type: "BOOLEAN" },
    toFile: (text: string) => text === "t",
    toSql: (value: PageValue) => (typeof value === "boolean" ? (value ? "t" : "f") : undefined),
  },
  int: {
    element: { type: "INT32" },
    toFile: Number,
    toSql: (value: PageValue) => (typeof value === "number" ? String(value) : undefined),
  },
  long: {
    element: { type: "INT64" },
    toFile: BigInt,
    toSql: (value: PageValue) => (typeof value === "bigint" ? String(value) : undefined),
  },
  string: {
    element: utf8,
    toFile: same,
    // The database stores no text with this character.
    toSql: (value: PageValue) => (typeof value === "string" && !value.includes("\0") ? value : undefined),
  },
  /** Digits, because numbers may be of any size. */
  integer: {
    element: utf8,
    toFile: same,
    toSql: (value: PageValue) =>
      typeof value === "string" && /^[+-]?\d{1,100000}$/.test(value) ? value : undefined,
  },
  decimal: {
    element: utf8,
    toFile: same,
    toSql: (value: PageValue) => {
      if (
        typeof value !== "string" ||
        !/^[+-]?\d{0,100000}(?:\.\d{0,16000})?(?:[eE][+-]?\d{1,4})?$/.test(value)
      )
        return undefined;
      if (/^-?\d+(?:\.\d+)?$/.test(value)) return value;
      return /\d/.test(value) ? decimalText(parseDecimal(value)) : undefined;
    },
  },
  bytes: {
    element: { type: "BYTE_ARRAY" },
    toFile: (text: string) => Buffer.from(text.slice("\\x".length), "hex"),
    toSql: (value: PageValue) => (value instanceof Uint8Array ? bytesText(value) : undefined),
  },
  timestamp: {
    element: { type: "INT64", logical_type: micros },
    toFile: parseTimestamp,
    toSql: (value: PageValue) => (typeof value === "bigint" ? timestampText(value) : undefined),
  },
} as const satisfies Readonly<Record<string, Form>>;

/** The schema of a file with these columns, as Arrow writes it. */
export function dumpSchema(columns: readonly DumpColumn[]): SchemaElement[] {
  return [{ name: "arrow_schema", num_children: columns.length }, ...columns.flatMap(elementsOf)];
}

function elementsOf({ name, type, isList, isNullable }: DumpColumn): SchemaElement[] {
  const { element } = forms[type];
  const repetition_type = isNullable ? "OPTIONAL" : "REQUIRED";
  if (!isList) return [{ ...element, name, repetition_type }];
  return [
    { name, repetition_type, num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { ...element, name: "item", repetition_type: "OPTIONAL" },
  ];
}

/** The values of a column for a file. @param texts in the database's form */
export function valuesForFile({ type, isList }: DumpColumn, texts: readonly SqlText[]): unknown[] {
  const { toFile } = forms[type];
  const item = (text: SqlText): PageValue | null => (text === null ? null : toFile(text));
  return texts.map((text) => (isList && text !== null ? parseArray(text).map(item) : item(text)));
}

/** Why a file's columns cannot be read as these ones; `undefined` if they can. More columns at the end are ignored. */
export function columnFault(
  found: readonly FoundColumn[],
  wanted: readonly DumpColumn[],
): string | undefined {
  if (found.length < wanted.length)
    return `it has ${found.length} columns, and the table has ${wanted.length}`;
  for (const [index, column] of wanted.entries()) {
    const own = found[index];
    if (own?.element && own.isList === column.isList && fits(own.element, column)) continue;
    return `column ${index + 1} (${own?.name}) does not hold ${shownType(column)}, as ${column.name} does`;
  }
  return undefined;
}

function fits({ type, converted_type, logical_type }: SchemaElement, column: DumpColumn): boolean {
  const wanted: Form["element"] = forms[column.type].element;
  if (type !== wanted.type) return false;
  const isText = converted_type === "UTF8" || logical_type?.type === "STRING";
  const isMicros =
    converted_type === "TIMESTAMP_MICROS" ||
    (logical_type?.type === "TIMESTAMP" && logical_type.unit === "MICROS");
  if (wanted.converted_type === "UTF8") return isText;
  if (wanted.logical_type) return isMicros;
  return converted_type === undefined && (logical_type === undefined || logical_type.type === "INTEGER");
}

function shownType({ type, isList }: DumpColumn): string {
  return `${isList ? "lists of " : ""}values of the type ${type}`;
}

/**
 * The values of a column for the database.
 * @throws Error for a value that the column cannot hold
 */
export function valuesForSql(
  { type, isList, isNullable }: DumpColumn,
  values: readonly RowValue[],
): SqlText[] {
  const { toSql } = forms[type];
  const item = (value: PageValue | null): SqlText => {
    const text = value === null ? null : toSql(value);
    if (text !== undefined) return text;
    throw new Error(`it holds ${JSON.stringify(String(value).slice(0, 80))}, which is no ${type}`);
  };
  return values.map((value) => {
    if (value === null && !isNullable) throw new Error("it holds null, which the schema does not allow");
    if (value === null || !isItems(value)) return item(value);
    return arrayText(value.map(item));
  });
  function isItems(value: RowValue): value is readonly (PageValue | null)[] {
    return isList && Array.isArray(value);
  }
}
