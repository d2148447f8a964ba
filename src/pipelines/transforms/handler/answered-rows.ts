import { nestsDeeper } from "../../../base/text/json-depth.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { quoteForeign } from "../../../base/text/quote-foreign.js";
import type { Rows, RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import { valueFromJson } from "../../changes/value-from-json.js";

/** The rows of an answer, or the mistake in it. */
export type AnsweredRows =
  | { readonly kind: "rows"; readonly rows: Rows }
  | {
      readonly kind: "fault";
      /** The rest of a sentence that begins with the handler. */
      readonly why: string;
      /** The index of the row, if one is at fault. */
      readonly row?: number;
    };

/** Lists and objects within each other in an answer. */
const deepest = 64;

/**
 * Reads the rows of an answer. Columns that a row leaves out keep their values; new ones are null.
 * @param given the rows of the request, and their columns
 * @param isSingle whether a single row was requested instead of a list
 */
export function readAnsweredRows(
  body: Uint8Array,
  columns: readonly RowColumn[],
  given: { readonly rows: Rows; readonly columns: readonly RowColumn[] },
  isSingle: boolean,
): AnsweredRows {
  const text = Buffer.from(body).toString();
  if (text.trim() === "") return { kind: "fault", why: "answered with nothing" };
  if (nestsDeeper(text, deepest))
    return { kind: "fault", why: `answered with JSON of more than ${deepest} levels` };
  const answer = parseJson(text);
  if (answer === undefined) return { kind: "fault", why: `answered with no JSON: ${quoteForeign(text)}` };
  const list = isSingle && !Array.isArray(answer) ? [answer] : answer;
  if (!Array.isArray(list)) return { kind: "fault", why: "answered with no list of rows" };
  const { count } = given.rows;
  if (list.length !== count) return { kind: "fault", why: `answered with ${list.length} rows to ${count}` };
  const odd = list.findIndex((item) => !isRecord(item));
  if (odd !== -1) return { kind: "fault", why: "answered with something else than an object", row: odd };
  return readColumns(list, columns, given);
}

function readColumns(
  list: readonly Readonly<Record<string, unknown>>[],
  columns: readonly RowColumn[],
  given: { readonly rows: Rows; readonly columns: readonly RowColumn[] },
): AnsweredRows {
  const read: (readonly RowValue[])[] = [];
  for (const column of columns) {
    const before = given.columns.findIndex(({ name, type }) => name === column.name && type === column.type);
    const values: RowValue[] = [];
    for (const [row, item] of list.entries()) {
      const value = Object.hasOwn(item, column.name)
        ? heldValue(item[column.name], column)
        : (given.rows.columns[before]?.[row] ?? null);
      if (value === undefined) return { kind: "fault", why: faultOf(item[column.name], column), row };
      values.push(value);
    }
    read.push(values);
  }
  return { kind: "rows", rows: { count: list.length, columns: read } };
}

function heldValue(value: unknown, { type, nullable }: RowColumn): RowValue | undefined {
  if (value !== null) return valueFromJson(value, type);
  return nullable ? null : undefined;
}

function faultOf(value: unknown, { name, type }: RowColumn): string {
  return `answered with ${quoteForeign(JSON.stringify(value))} as ${quoteForeign(name)}, which is of the type ${type}`;
}
