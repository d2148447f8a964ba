import { visible } from "../../../base/text/visible.js";
import type { RowValue } from "../../changes/rows.js";
import type { SinkBatch } from "../../state/sink-batch.js";
import { SinkError } from "../../state/sink-error.js";
import type { RowError } from "../sink.js";
import { rowName } from "./row-text.js";

/** The batch of a row in a message. */
type RefusedBatch = Pick<SinkBatch, "source" | "from" | "to" | "changes">;

/**
 * The error of a sink that halts because of a row, with the row's name.
 * @param batch the refused batch
 * @param canPark whether the sink could park the row
 */
export function refusedError(error: RowError, batch: RefusedBatch, canPark: boolean): SinkError {
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
    `Row ${rowName(rows, first.row, schema)} of ${originText(batch, first.row)}${also} is refused: ${column}${visible(first.why).replace(/\.$/, "")}. ${wayOut}.`,
    false,
    { cause: error },
  );
}

/** The origin of a row: its block, if a column has it, or else the range of its batch. */
export function originText({ source, from, to, changes }: RefusedBatch, row: number): string {
  const index = changes.schema.columns.findIndex(({ name }) => name === "block_number");
  const block: RowValue | undefined = changes.rows.columns[index]?.[row];
  if (block !== undefined && block !== null) return `block ${String(block)}`;
  const range = from === to ? `${from}` : `${from}-${to}`;
  return `${visible(source)} ${range}`;
}
