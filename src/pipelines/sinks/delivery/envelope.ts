import { hashesOfRows } from "../../changes/row-hash.js";
import { rowJson } from "../../changes/row-json.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import type { NumberedChanges } from "./carrier.js";

/** The id of a change: that of the state, and the change's number. */
export function changeId(stateId: string, sequence: number): string {
  return `${stateId}-${sequence}`;
}

/** The id of a row that is written again on request: the same in every replay. */
function replayId(stateId: string, row: string): string {
  return `${stateId}-replay-${row}`;
}

/** A change as the text of a JSON object: its id, its number, what happens, and the row. */
export function envelopeOf(
  { schema, operations, rows, first, replayed }: NumberedChanges,
  row: number,
  stateId: string,
): string {
  const sequence = first + row;
  const again = replayed?.get(row);
  const envelope = JSON.stringify({
    id: again === undefined ? changeId(stateId, sequence) : replayId(stateId, again),
    sequence,
    op: operations[row],
    ...(again !== undefined && { replay: true }),
  });
  return `${envelope.slice(0, -1)},"row":${rowJson(schema.columns, rows, row)}}`;
}

/** The values of the key of a row, as texts. */
export function keyOf(
  { schema, rows }: Pick<NumberedChanges, "schema" | "rows">,
  row: number,
): readonly string[] {
  return schema.key.map((name) => {
    const column = schema.columns.findIndex((one) => one.name === name);
    return String(rows.columns[column]?.[row] ?? "");
  });
}

/** The hash of each row of a replay, by its index among the rows of all batches. */
export function replayedRows(batches: readonly SinkBatch[]): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  let index = 0;
  for (const { changes, isReplay } of batches) {
    if (isReplay)
      for (const [row, hash] of hashesOfRows(changes.rows).entries())
        hashes.set(index + row, hash.toString(16).padStart(32, "0"));
    index += changes.rows.count;
  }
  return hashes;
}
