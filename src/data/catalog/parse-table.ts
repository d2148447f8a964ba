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

/** A field, quoted or not, and the character that ends it. */
const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/y;

function recordsOf(text: string): readonly CsvRecord[] {
  const records: CsvRecord[] = [];
  let fields: string[] = [];
  let line = 1;
  let start = 1;
  field.lastIndex = 0;
  while (field.lastIndex < text.length) {
    const found = field.exec(text);
    if (!found) throw new TableError(`Line ${line} has a quote in the wrong place.`);
    const [whole, quoted, plain = "", end] = found;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split("\n").length - 1;
    if (end === ",") {
      // A comma at the very end leaves an empty field.
      if (field.lastIndex < text.length) continue;
      fields.push("");
    }
    if (fields.length > 1 || fields[0] !== "") records.push({ line: start, fields });
    fields = [];
    start = line;
  }
  return records;
}
