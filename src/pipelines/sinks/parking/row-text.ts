import { visible } from "../../../base/text/visible.js";
import type { Rows } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import { keyIndexes } from "../../state/parked-change.js";

/** Most characters of a value in a message. */
const most = 80;

/** What tells a row of a batch from others, on one line: `id=a1, block 7`. */
export function rowName(rows: Rows, row: number, schema: RowSchema): string {
  const texts = keyIndexes(schema).map((index) => {
    const { name } = schema.columns[index] ?? { name: "" };
    return `${visible(name)}=${valueText(rows.columns[index]?.[row] ?? null)}`;
  });
  return texts.join(" ");
}

/** A value on one line, cut if it is long. */
export function valueText(value: unknown): string {
  const text = visible(String(value));
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
