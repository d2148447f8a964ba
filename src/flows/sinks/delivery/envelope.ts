import { rowJson } from "../../changes/row-json.js";
import type { NumberedChanges } from "./carrier.js";

/** The id of a change: that of the state, and the change's number. */
export function changeId(stateId: string, sequence: number): string {
  return `${stateId}-${sequence}`;
}

/** A change as the text of a JSON object: its id, its number, what happens, and the row. */
export function envelopeOf(
  { schema, operations, rows, first }: NumberedChanges,
  row: number,
  stateId: string,
): string {
  const sequence = first + row;
  const envelope = JSON.stringify({ id: changeId(stateId, sequence), sequence, op: operations[row] });
  return `${envelope.slice(0, -1)},"row":${rowJson(schema.columns, rows, row)}}`;
}

/** The values of the key of a row, as texts. */
export function keyOf({ schema, rows }: NumberedChanges, row: number): readonly string[] {
  return schema.key.map((name) => {
    const column = schema.columns.findIndex((one) => one.name === name);
    return String(rows.columns[column]?.[row] ?? "");
  });
}
