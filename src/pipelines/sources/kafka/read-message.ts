import { foreignText } from "../../../base/text/foreign-text.js";
import { nestsDeeper } from "../../../base/text/json-depth.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { quoteForeign } from "../../../base/text/quote-foreign.js";
import type { RowValue } from "../../changes/rows.js";
import type { RowColumn, ValueType } from "../../changes/schema.js";
import { valueFromJson } from "../../changes/value-from-json.js";

/** The values of a row, in the order of its columns. */
export type ReadRow = readonly RowValue[];

/** What a message changes: at most one row of each half. */
export interface ReadMessage {
  readonly minus: ReadRow | undefined;
  readonly plus: ReadRow | undefined;
}

/** A message that cannot be read. Its text continues a sentence that begins with "the message". */
export class MessageError extends Error {
  override readonly name = "MessageError";
}

/** Lists and objects within each other. */
const deepest = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a message that is a row as JSON. @throws MessageError */
export function readJsonMessage(value: Uint8Array, columns: readonly RowColumn[]): ReadMessage {
  return { minus: undefined, plus: rowOf(objectIn(value), columns, "") };
}

/**
 * Reads the columns of a key from the key of a message: an object with them, or the value of the only one.
 * @throws MessageError
 */
export function readJsonKey(bytes: Uint8Array, columns: readonly RowColumn[]): ReadRow {
  const text = textOf(bytes);
  if (text === undefined) throw new MessageError("has a key that is not text in UTF-8");
  const [only] = columns;
  const found = nestsDeeper(text, deepest) ? undefined : parseJson(markedNumbers(text));
  if (isRecord(found) || columns.length !== 1 || !only)
    return rowOf(isRecord(found) ? found : {}, columns, "key.");
  // A text may be written as it is, or as JSON.
  const plain = only.type === "STRING" ? parseJson(text) : (found ?? text);
  return rowOf(
    { [only.name]: only.type === "STRING" && typeof plain !== "string" ? text : plain },
    columns,
    "key.",
  );
}

/**
 * A row with the columns of its key, which its value may leave out.
 * @param row with null where the value has none of them
 * @throws MessageError if the two do not agree
 */
export function withKey(
  row: ReadRow,
  key: ReadRow,
  columns: readonly RowColumn[],
  names: readonly string[],
): ReadRow {
  return row.map((value, index) => {
    const name = columns[index]?.name ?? "";
    const own = key[names.indexOf(name)];
    if (own === undefined || value === own) return value;
    if (value === null) return own;
    throw new MessageError(
      `has ${foreignText(String(value))} as ${quoteForeign(name)}, but ${foreignText(String(own))} in its key`,
    );
  });
}

/**
 * Reads a message that is an envelope of Debezium, with or without its schema.
 * @throws MessageError, also for a change that does not hold the row before it
 */
export function readEnvelope(value: Uint8Array, columns: readonly RowColumn[]): ReadMessage {
  const found = objectIn(value);
  const envelope = isRecord(found.payload) && Object.hasOwn(found, "schema") ? found.payload : found;
  return envelopeChange(envelope.op, (name) => {
    const held = Object.hasOwn(envelope, name) ? envelope[name] : null;
    return isRecord(held) ? rowOf(held, columns, `${name}.`) : undefined;
  });
}

/**
 * What an envelope of Debezium changes.
 * @param rowIn reads one of its rows; `undefined` if it has none
 * @throws MessageError, also for a change that does not hold the row before it
 */
export function envelopeChange(
  op: unknown,
  rowIn: (name: "before" | "after") => ReadRow | undefined,
): ReadMessage {
  const row = (name: "before" | "after"): ReadRow => {
    const held = rowIn(name);
    if (held) return held;
    const advice =
      name === "before" ? ". The connector must send whole rows, as with REPLICA IDENTITY FULL" : "";
    throw new MessageError(`is a change ${quoteForeign(String(op))} without ${quoteForeign(name)}${advice}`);
  };
  switch (op) {
    case "c":
    case "r":
      return { minus: undefined, plus: row("after") };
    case "u":
      return { minus: row("before"), plus: row("after") };
    case "d":
      return { minus: row("before"), plus: undefined };
    case "t":
      throw new MessageError("says that the table was emptied, which a sink cannot follow");
    default:
      throw new MessageError('is not an envelope of Debezium: it has no "op" c, r, u or d');
  }
}

function objectIn(value: Uint8Array): Readonly<Record<string, unknown>> {
  const text = textOf(value);
  if (text === undefined) throw new MessageError("is not text in UTF-8");
  if (nestsDeeper(text, deepest)) throw new MessageError(`has more than ${deepest} levels of JSON`);
  const read = parseJson(markedNumbers(text));
  if (isRecord(read)) return read;
  throw new MessageError(`is not a JSON object: ${quoteForeign(text.slice(0, 100))}`);
}

/** The text of bytes; `undefined` if they are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Precedes the digits of a long number that was made a text, so that it keeps all of them. No sink can hold it. */
const mark = "\0#";
const token = /"(?:[^"\\]|\\.)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const marked = /"\\u0000#(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"/g;
/** Characters of a number that JSON readers never round. */
const exact = 15;

function markedNumbers(text: string): string {
  return text.replace(token, (found) =>
    found.startsWith('"') || found.length <= exact ? found : `"\\u0000#${found}"`,
  );
}

function rowOf(
  found: Readonly<Record<string, unknown>>,
  columns: readonly RowColumn[],
  place: string,
): ReadRow {
  return columns.map(({ name, type, nullable }) => {
    const value = Object.hasOwn(found, name) ? (found[name] ?? null) : null;
    if (value === null && nullable) return null;
    const read = value === null ? undefined : columnValue(value, type);
    if (read !== undefined) return read;
    const shown = restored(JSON.stringify(value));
    throw new MessageError(
      `has ${foreignText(shown)} as ${quoteForeign(place + name)}, which is of the type ${type}`,
    );
  });
}

function columnValue(value: unknown, type: ValueType): RowValue | undefined {
  if (type === "JSON") return restored(JSON.stringify(value));
  const digits = typeof value === "string" && value.startsWith(mark) ? value.slice(mark.length) : undefined;
  if (type === "DOUBLE") return doubleOf(digits === undefined ? value : Number(digits));
  if (digits === undefined) return valueFromJson(value, type);
  return type === "LONG" || type === "DECIMAL" || type === "NUMERIC"
    ? valueFromJson(digits, type)
    : undefined;
}

/** JSON has no numbers that are not finite, so that writers give their names. */
function doubleOf(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^(?:NaN|-?Infinity)$/.test(value) ? Number(value) : undefined;
}

function restored(json: string): string {
  return json.replace(marked, "$1");
}
