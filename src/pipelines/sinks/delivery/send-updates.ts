import { joinRows, pickRows, type Rows } from "../../changes/rows.js";
import type { RowSchema } from "../../changes/schema.js";
import { SinkError } from "../../state/sink-error.js";
import type { KeptBatch, StateStore } from "../../state/state-store.js";
import type { Carrier } from "./carrier.js";

/** Rows that are kept on the disk together before they are sent. */
const chunk = 10_000;

/**
 * Sends rows as updates, outside of the batches of sources: positions and ledgers stay as they are. What an earlier run has
 * begun is sent first, under its own numbers.
 * @param least the least number that a change may have
 * @throws SinkError, RowError
 */
export async function sendUpdates(
  rows: Rows,
  schema: RowSchema,
  state: StateStore,
  carrier: Carrier,
  least = 0,
): Promise<void> {
  if (rows.count === 0) return;
  const { unfinished, positions } = state.kept;
  if (unfinished.length > 0) await send(unfinished, schema, state, carrier, 0);
  const after = unfinished.at(-1);
  const [[source, position] = [after?.source ?? "", after?.position]] = positions;
  const last = unfinished.findLast((batch) => batch.source === source)?.position ?? position;
  if (!last) throw new SinkError("Nothing was written yet.", false);
  for (let start = 0; start < rows.count; start += chunk) {
    const count = Math.min(chunk, rows.count - start);
    const part = pickRows(
      rows,
      Array.from({ length: count }, (_, index) => start + index),
    );
    const changes = { operations: part.columns[0]?.map(() => "u" as const) ?? [], rows: part };
    const batch = { source, from: last.next, to: last.next - 1, position: last, ledger: undefined, changes };
    await send([batch], schema, state, carrier, least);
  }
}

async function send(
  batches: readonly KeptBatch[],
  schema: RowSchema,
  state: StateStore,
  carrier: Carrier,
  least: number,
): Promise<void> {
  const first = await state.begin(batches, least);
  const operations = batches.flatMap(({ changes }) => changes.operations);
  const rows = joinRows(
    batches.map(({ changes }) => changes.rows),
    schema.columns.length,
  );
  if (rows.count > 0)
    await carrier.carry({ schema, operations, rows, first }, async (arrived) => {
      await state.arrived(first + arrived - 1);
    });
  await state.finish();
}
