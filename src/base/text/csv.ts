/** A field of a CSV file. */
export interface CsvField {
  /** `null` if the field is empty and not in quotes. */
  readonly value: string | null;
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

/** A text that is not CSV. */
export class CsvError extends Error {
  override readonly name = "CsvError";
  /** Where the fault is. */
  readonly offset: number;
  /** Where its field begins. */
  readonly start: number;

  constructor(message: string, offset: number, start = offset) {
    super(message);
    this.offset = offset;
    this.start = start;
  }
}

/**
 * The records of a CSV file as RFC 4180 describes it: commas, double quotes, and any kind of line break. Blank lines are
 * left out.
 * @throws CsvError
 */
export function csvRecords(text: string): readonly (readonly CsvField[])[] {
  const records: CsvField[][] = [];
  let record: CsvField[] = [];
  let at = 0;
  while (at < text.length) {
    const field = fieldAt(text, at);
    record.push(field);
    at = field.end;
    const separator = /^(?:,|\r\n|\n|\r)/.exec(text.slice(at, at + 2))?.[0] ?? "";
    at += separator.length;
    if (separator === ",") {
      if (at === text.length) record.push({ value: null, start: at, end: at });
      else continue;
    }
    if (record.length > 1 || field.value !== null) records.push(record);
    record = [];
  }
  return records;
}

function fieldAt(text: string, start: number): CsvField {
  if (text[start] !== '"') {
    plain.lastIndex = start;
    const [value = ""] = plain.exec(text) ?? [];
    const quote = value.indexOf('"');
    if (quote !== -1) throw new CsvError("a double quote in a field without quotes", start + quote, start);
    return { value: value === "" ? null : value, start, end: start + value.length };
  }
  quotedField.lastIndex = start;
  const [whole] = quotedField.exec(text) ?? [];
  if (whole === undefined) throw new CsvError("a field whose quotes are not closed", start);
  const end = start + whole.length;
  if (end < text.length && !/[,\r\n]/.test(text[end] ?? ""))
    throw new CsvError("a comma is missing after a field in quotes", end, start);
  return { value: whole.slice(1, -1).replaceAll('""', '"'), start, end };
}

const plain = /[^,\r\n]*/y;
const quotedField = /"(?:[^"]|"")*"/y;
