import { CsvError, csvRecords } from "../../base/text/csv.js";
import { isRecord } from "../../base/text/json-value.js";

/** A row of a file, by column name, with the line on which it begins. */
export interface TableRow {
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

/** A file that is not a table. The message is a sentence. */
export class TableError extends Error {
  override readonly name = "TableError";
}

/** Reads a table: CSV with a header line, or a JSON list of objects. @throws TableError */
export function parseTable(text: string): readonly TableRow[] {
  return /^\s*\[/.test(text) ? fromJson(text) : fromCsv(text.replace(/^\uFEFF/, ""));
}

function fromJson(text: string): readonly TableRow[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new TableError(`It is not valid JSON: ${(error as Error).message}.`);
  }
  return (parsed as readonly unknown[]).map((row, index) => {
    if (!isRecord(row)) throw new TableError(`Item ${index + 1} is not an object.`);
    const fields = Object.entries(row).filter(([, value]) => value !== null);
    return {
      line: index + 1,
      values: Object.fromEntries(fields.map(([name, value]) => [name, String(value)])),
    };
  });
}

function fromCsv(text: string): readonly TableRow[] {
  const [header, ...records] = recordsOf(text);
  if (!header) throw new TableError("It is empty.");
  const names = header.fields.map((name) => name.trim());
  return records.map(({ line, fields }) => {
    if (fields.length !== names.length)
      throw new TableError(
        `Line ${line} has ${fields.length} fields, and the first line has ${names.length}.`,
      );
    const values = names.map((name, index) => [name, fields[index] ?? ""] as const);
    return { line, values: Object.fromEntries(values.filter(([, value]) => value !== "")) };
  });
}

interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

function recordsOf(text: string): readonly CsvRecord[] {
  const lineOf = lineCounter(text);
  const misplaced = (start: number): TableError =>
    new TableError(`Line ${lineOf(start)} has a quote in the wrong place.`);
  try {
    return csvRecords(text).flatMap((record) => {
      const [first, ...others] = record;
      const { start = 0, end = 0 } = record.at(-1) ?? {};
      // A lone carriage return ends no line here.
      if (/^\r(?!\n)/.test(text.slice(end, end + 2))) throw misplaced(start);
      if (others.length === 0 && !first?.value) return [];
      return { line: lineOf(first?.start ?? 0), fields: record.map(({ value }) => value ?? "") };
    });
  } catch (error) {
    throw error instanceof CsvError ? misplaced(error.start) : error;
  }
}

/** Returns the line of an offset, counted from 1. Offsets must not fall. */
function lineCounter(text: string): (offset: number) => number {
  let line = 1;
  let at = 0;
  return (offset) => {
    for (let end = text.indexOf("\n", at); end !== -1 && end < offset; end = text.indexOf("\n", at)) {
      line += 1;
      at = end + 1;
    }
    return line;
  };
}
