import type { Row } from "../../../store/database/database.js";
import type { EntityColumn } from "../../../store/tables/layout.js";
import { Problem } from "../../problem.js";
import { inReadingOrder } from "./field-roles.js";

/**
 * The most characters of an exported value. Rows with longer ones are refused, because a truncated value would be
 * wrong.
 */
export const exportedLength = { longest: 10_000 } as const;

/** Entities as JSON: an array of objects with the names and forms of queries. @throws Problem for a value that is too long */
export function rowsAsJson(columns: readonly EntityColumn[], rows: readonly Row[]): string {
  return `${JSON.stringify(
    rows.map((row) => rowAsObject(columns, row)),
    null,
    2,
  )}\n`;
}

/** An entity with the names and forms of queries. @throws Problem for a value that is too long */
export function rowAsObject(columns: readonly EntityColumn[], row: Row): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    inReadingOrder(columns).map((column) => {
      const text = whole(column, row[column.name] ?? null);
      return [column.field, text === null ? null : column.codec.sent(text)];
    }),
  );
}

/**
 * Entities as CSV (RFC 4180). A missing value is empty, and a list is JSON.
 * @throws Problem for a value that is too long
 */
export function rowsAsCsv(columns: readonly EntityColumn[], rows: readonly Row[]): string {
  const ordered = inReadingOrder(columns);
  const lines = [
    ordered.map(({ field }) => csvText(field)),
    ...rows.map((row) => ordered.map((column) => csvValue(column, whole(column, row[column.name] ?? null)))),
  ];
  return lines.map((line) => `${line.join(",")}\r\n`).join("");
}

function csvValue(column: EntityColumn, text: string | null): string {
  if (text === null) return "";
  const shown = column.list ? JSON.stringify(column.codec.sent(text)) : column.codec.shown(text);
  // A number starts with at most a minus sign, and stays a number.
  return isPlainNumber(column, shown) ? shown : csvText(shown);
}

function isPlainNumber({ scalar, kind, list }: EntityColumn, shown: string): boolean {
  const isNumeric = kind === "scalar" && !list && !["String", "ID", "Bytes"].includes(scalar);
  return isNumeric && /^-?\d+(\.\d+)?$/.test(shown);
}

/** Spreadsheets run a cell that begins like this as a formula. */
const formula = /^[\s\uFEFF]*[=+\-@\t\r\n\uFF0B\uFF0D\uFF1D\uFF20]/u;

/** A text that spreadsheets show and do not run: an apostrophe marks it as text. */
export function csvText(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n']|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** @throws Problem `unprocessable` when a part of the value was not read */
function whole({ field }: EntityColumn, text: string | null): string | null {
  const { longest } = exportedLength;
  if (text === null || text.length <= longest) return text;
  throw new Problem(
    "unprocessable",
    `A value of ${field} has more than ${longest.toLocaleString("en-US")} characters. Read these rows with a query.`,
  );
}
