import { describe, expect, it } from "vitest";
import { withDistinctIds } from "../../src/datasets/extract/rows-of-range.js";
import type { DatasetRow } from "../../src/datasets/tables/dataset.js";
import { hash } from "../support/chain/raw-chain.js";

function rowOf(block: number, transaction: number, index: number, suffix = ""): DatasetRow {
  return {
    id: `log_${hash(block)}_${index}${suffix}`,
    block_hash: hash(block),
    transaction_hash: hash(transaction, "f"),
    transaction_index: BigInt(transaction),
    log_index: BigInt(index),
  };
}

const idsOf = (rows: readonly DatasetRow[]): readonly unknown[] => withDistinctIds(rows).map(({ id }) => id);

describe("ids of rows of logs", () => {
  it("stay unchanged in blocks that number logs across transactions, also for several rows of one log", () => {
    const rows = [rowOf(1, 0, 0), rowOf(1, 0, 1, "_1"), rowOf(1, 0, 1, "_2"), rowOf(1, 3, 2), rowOf(2, 0, 0)];
    expect(withDistinctIds(rows)).toBe(rows);
  });

  it("name the transaction only in blocks that number the logs of each transaction", () => {
    const rows = [rowOf(1, 0, 0), rowOf(1, 0, 1, "_1"), rowOf(1, 1, 0), rowOf(1, 2, 0), rowOf(2, 0, 0)];
    expect(idsOf(rows)).toEqual([
      `log_${hash(1)}_${hash(0, "f")}_0`,
      `log_${hash(1)}_${hash(0, "f")}_1_1`,
      `log_${hash(1)}_${hash(1, "f")}_0`,
      `log_${hash(1)}_${hash(2, "f")}_0`,
      `log_${hash(2)}_0`,
    ]);
  });

  it("name the transaction by its index if the logs name none", () => {
    const rows = [0, 1].map((index) => ({ ...rowOf(1, index, 0), transaction_hash: hash(0) }));
    expect(idsOf(rows)).toEqual([`log_${hash(1)}_0_0`, `log_${hash(1)}_1_0`]);
  });
});
