import { ClickHouseError } from "../clickhouse-server.js";
import { refusedInHalves } from "../refused-halves.js";
import type { RefusedRow } from "../sink.js";

/** How many refused rows to find at once. The caller that parks them writes the batch again. */
const mostRefused = 1_000;

/**
 * The server's numbers of errors that a value of a row causes: a constraint, a computed column or a materialized view
 * that cannot take it.
 */
const ofRows: ReadonlySet<number | undefined> = new Set([
  6, 27, 38, 41, 69, 70, 72, 117, 131, 153, 321, 349, 376, 395, 407, 469, 675, 676, 691,
]);

/** Whether a server refuses an insert because of its rows. */
export function isRefusal(error: unknown): error is ClickHouseError {
  return error instanceof ClickHouseError && ofRows.has(error.code);
}

/**
 * Inserts rows. What the server refuses is inserted in halves, until it is clear which rows it is.
 * @param insert inserts the rows of some indexes
 * @returns the refused rows, or the first of many
 * @throws what `insert` throws, except for refusals
 */
export async function insertHalves(
  rows: readonly number[],
  insert: (rows: readonly number[]) => Promise<void>,
): Promise<readonly RefusedRow[]> {
  const refused = await refusedInHalves([rows], insert, isRefusal, mostRefused);
  return refused.map(({ item, why }) => ({ row: item, why }));
}
