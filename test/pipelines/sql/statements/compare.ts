import type { RowValue } from "../../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../../src/pipelines/changes/schema.js";

/** Rows in a form that is the same for equal values of every engine, ordered. */
export function comparable(
  columns: readonly RowColumn[],
  rows: readonly Readonly<Record<string, RowValue | undefined>>[],
): readonly (readonly unknown[])[] {
  const made = rows.map((row) => columns.map(({ name, type }) => comparableValue(type, row[name] ?? null)));
  return made.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}

function comparableValue(type: RowColumn["type"], value: RowValue): unknown {
  if (value === null) return null;
  switch (type) {
    case "LONG":
    case "DECIMAL":
    case "NUMERIC":
      return number(String(value));
    case "DOUBLE":
      // Products of floating-point numbers may differ in the last digit.
      return Number(Number(value).toPrecision(14));
    case "TIMESTAMP":
      return typeof value === "bigint"
        ? new Date(Number(value / 1000n)).toISOString()
        : new Date(utc(String(value))).toISOString();
    case "JSON":
    case "ARRAY<STRING>":
      return texts(
        typeof value === "string"
          ? JSON.parse(value.replaceAll(/(?<=[[:,\s])(-?\d{16,})(?=[\],}])/g, '"$1"'))
          : value,
      );
    case "BOOLEAN":
      return String(value).startsWith("t");
    default:
      return String(value);
  }
}

/** A number without zeros that say nothing. */
function number(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** A time in UTC, as DuckDB and PostgreSQL print it with or without a zone. */
function utc(text: string): string {
  return `${text.replace(" ", "T").replace(/\+00(?::00)?$/, "")}Z`;
}

/** JSON with its numbers as texts. */
function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(texts);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, texts(one)]));
  return typeof value === "number" ? String(value) : value;
}
