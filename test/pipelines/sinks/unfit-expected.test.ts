import { expect, it } from "vitest";
import type { Changes } from "../../../src/pipelines/changes/net-changes.js";
import { UnfitExpected } from "../../../src/pipelines/sinks/tables/unfit-expected.js";
import { keyedBatch } from "../../support/pipelines/keyed-batch.js";

/** A table of ids that takes no block 7, and what was put into it. */
function narrow() {
  const held = new Map<string, bigint>();
  const unfit = new UnfitExpected();
  const write = async ({ operations, rows }: Changes): Promise<string | undefined> => {
    for (const [row, operation] of operations.entries()) {
      const [id, block] = rows.columns.map((column) => column[row]);
      if (operation === "d") held.delete(String(id));
      else if (block === 7n) return "7 does not fit";
      else held.set(String(id), block as bigint);
    }
    return undefined;
  };
  const put = (...given: Parameters<typeof keyedBatch>): Promise<void> => {
    const { source, from, to, changes } = keyedBatch(...given);
    return unfit.put(source, { from, to }, changes, write);
  };
  return { held, unfit, put };
}

it("an audit omits rows that do not fit, and keeps the earlier rows of their keys", async () => {
  const { held, unfit, put } = narrow();
  await put(1, "i a", "i b");
  await put(7, "u a", "i c");
  expect([...held]).toEqual([["b", 1n]]);
  expect(unfit.notes).toEqual([
    "2 rows do not fit into the columns of the table; the first is id=a of block 7 of chain: 7 does not fit. Neither they nor rows that no source has were compared.",
  ]);
  expect(() => unfit.refuse()).toThrow("Nothing was mended");
});

it("an audit forgets a row that does not fit once its key has a row that fits, or is gone", async () => {
  const { held, unfit, put } = narrow();
  await put(7, "i a", "i b");
  await put(8, "u a");
  await put(9, "d b");
  expect([[...held], unfit.notes]).toEqual([[["a", 8n]], []]);
  unfit.refuse();
});

it("an audit gives up if most rows do not fit", async () => {
  const { put } = narrow();
  const many = Array.from({ length: 1_001 }, (_, index) => `i ${index}` as const);
  await expect(put(7, ...many)).rejects.toThrow("They are too many to compare the others");
});
