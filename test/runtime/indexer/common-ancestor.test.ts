import { expect, test } from "vitest";
import type { Block } from "../../../src/runtime/chain/chain.js";
import { commonAncestor } from "../../../src/runtime/indexer/common-ancestor.js";
import { block } from "../store/values.js";

/** A store that remembers blocks up to 100, and a chain that has different blocks after some block. */
function forked({ oldest, last }: { readonly oldest: number; readonly last: number }) {
  const counts: number[] = [];
  const numbers: number[] = [];
  const store = {
    recentBlocks: async (count: number) => {
      counts.push(count);
      const length = Math.min(count, 100 - oldest + 1);
      return Array.from({ length }, (_, index) => block(100 - index));
    },
  };
  const chain = {
    block: async (number: number) => {
      numbers.push(number);
      return block(number, number > last ? "b" : "a") as Block;
    },
  };
  return { counts, numbers, find: () => commonAncestor(chain, store) };
}

test("the search finds the ancestor of a short fork with one small query", async () => {
  const { counts, numbers, find } = forked({ oldest: 1, last: 98 });
  expect(await find()).toEqual({ kept: block(98), isReplaced: true });
  expect([counts, numbers]).toEqual([[16], [100, 99, 98]]);
});

test("the search finds the ancestor of a long fork with larger queries, comparing every block once", async () => {
  const { counts, numbers, find } = forked({ oldest: 1, last: 50 });
  expect(await find()).toEqual({ kept: block(50), isReplaced: true });
  expect(counts).toEqual([16, 32, 64]);
  expect(numbers).toEqual(Array.from({ length: 51 }, (_, index) => 100 - index));
});

test.each([
  1, 69, 85, 95,
])("the search finds no ancestor of a fork that is older than the remembered blocks (from %i)", async (oldest) => {
  const { numbers, find } = forked({ oldest, last: 0 });
  expect(await find()).toEqual({ isReplaced: true });
  expect(numbers).toHaveLength(100 - oldest + 1);
});

test("the search finds the last block if it is still on the chain", async () => {
  expect(await forked({ oldest: 1, last: 100 }).find()).toEqual({ kept: block(100), isReplaced: false });
});
