import { visible } from "../../base/visible.js";
import type { RowValue } from "../changes/rows.js";
import { rowName } from "../sinks/parking/row-text.js";
import { type RowError, type SinkBatch, SinkError } from "../sinks/sink.js";

/**
 * The error of a sink that halts because of a row, which it names.
 * @param batch the one that was refused
 * @param canPark whether the sink could keep the row aside
 */
export function refusedError(error: RowError, batch: SinkBatch, canPark: boolean): SinkError {
  const [first, ...others] = error.refused;
  if (!first) return new SinkError(error.message, false, { cause: error });
  const { rows, schema } = batch.changes;
  const also =
    others.length === 0
      ? ""
      : `, and ${others.length} other ${others.length === 1 ? "row" : "rows"} of its batch,`;
  const column = first.column === undefined ? "" : `column ${visible(first.column)}: `;
  const usual = canPark
    ? "Correct the table or the query, or set on_error: park to keep such rows aside"
    : "Correct the query, so that it leaves such rows out or changes them";
  const wayOut = error.advice ?? usual;
  return new SinkError(
    `Row ${rowName(rows, first.row, schema)} of ${placeOf(batch, first.row)}${also} is refused: ${column}${visible(first.why).replace(/\.$/, "")}. ${wayOut}.`,
    false,
    { cause: error },
  );
}

/** Where a row comes from: its block, if a column says it, or else the range of its batch. */
function placeOf({ source, from, to, changes }: SinkBatch, row: number): string {
  const index = changes.schema.columns.findIndex(({ name }) => name === "block_number");
  const block: RowValue | undefined = changes.rows.columns[index]?.[row];
  if (block !== undefined && block !== null) return `block ${String(block)}`;
  const range = from === to ? `${from}` : `${from}-${to}`;
  return `${visible(source)} ${range}`;
}
