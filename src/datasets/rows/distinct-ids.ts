import type { DatasetRow } from "../tables/dataset.js";

/**
 * Makes the ids of log rows distinct; rows come in order. An id consists of the block's hash and the log's index. If
 * a block numbers logs per transaction, several logs would get the same id, so all ids of that block also name the
 * transaction.
 */
export function withDistinctIds(rows: readonly DatasetRow[]): readonly DatasetRow[] {
  const strange = new Set<unknown>();
  let before: DatasetRow | undefined;
  for (const row of rows) {
    if (before && before.block_hash === row.block_hash && !isOrdinary(before, row))
      strange.add(row.block_hash);
    before = row;
  }
  return strange.size === 0 ? rows : rows.map((row) => (strange.has(row.block_hash) ? named(row) : row));
}

/**
 * Whether neighbouring rows may belong to a block that numbers logs across transactions. A log may have several rows.
 */
function isOrdinary(before: DatasetRow, row: DatasetRow): boolean {
  const step = Number(row.log_index) - Number(before.log_index);
  return (
    step > 0 || (step === 0 && before.transaction_hash === row.transaction_hash && hasSamePlace(before, row))
  );
}

function hasSamePlace(one: DatasetRow, other: DatasetRow): boolean {
  return one.transaction_index === other.transaction_index;
}

function named(row: DatasetRow): DatasetRow {
  const { id, block_hash: block, transaction_hash: transaction, transaction_index: index } = row;
  const isOfNone = /^0x0*$/.test(String(transaction));
  return {
    ...row,
    id: String(id).replace(String(block), () => `${block}_${isOfNone ? index : transaction}`),
  };
}
