import { expect, it } from "vitest";
import type { Block } from "../../../src/runtime/chain/chain.js";
import { BlockQueue } from "../../../src/runtime/indexer/block-queue.js";

const blockOf = (number: number): Block => ({ number }) as Block;

it("blocks are prepared in their order, for any order of answers", async () => {
  const prepared: number[] = [];
  const answers: (() => void)[] = [];
  const queue = new BlockQueue<number>(
    {
      blocks: (numbers) =>
        new Promise((resolve) => answers.unshift(() => resolve(numbers.map((number) => blockOf(number))))),
    },
    async ({ number }) => {
      prepared.push(number);
      return number;
    },
    () => undefined,
  );
  queue.add(Array.from({ length: 60 }, (_, index) => index));
  expect(answers.length).toBe(3);
  for (const answer of answers) {
    answer();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (let number = 0; number < 60; number++) expect((await queue.take())?.prepared).toBe(number);
  expect(prepared).toEqual(Array.from({ length: 60 }, (_, index) => index));
});

it("a failed answer fails only its own blocks", async () => {
  const queue = new BlockQueue<number>(
    {
      blocks: async (numbers) => {
        if (numbers.includes(0)) throw new Error("the node is away");
        return numbers.map(blockOf);
      },
    },
    async ({ number }) => number,
    () => undefined,
  );
  queue.add(Array.from({ length: 50 }, (_, index) => index));
  await expect(queue.take()).rejects.toThrow("the node is away");
  for (let number = 1; number < 25; number++) await expect(queue.take()).rejects.toThrow("the node is away");
  expect((await queue.take())?.prepared).toBe(25);
});

it("blocks of the queue before are prepared first", async () => {
  const prepared: number[] = [];
  const answers = new Map<number, () => void>();
  const chain: ConstructorParameters<typeof BlockQueue<number>>[0] = {
    blocks: (numbers) =>
      new Promise((resolve) => answers.set(numbers[0] ?? 0, () => resolve(numbers.map(blockOf)))),
  };
  const prepare = async ({ number }: Block): Promise<number> => {
    prepared.push(number);
    return number;
  };
  const first = new BlockQueue<number>(chain, prepare, () => undefined);
  first.add([1, 2]);
  const second = new BlockQueue<number>(chain, prepare, () => undefined, first);
  second.add([3, 4]);
  answers.get(3)?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(prepared).toEqual([]);
  answers.get(1)?.();
  for (const number of [1, 2]) expect((await first.take())?.prepared).toBe(number);
  for (const number of [3, 4]) expect((await second.take())?.prepared).toBe(number);
  expect(prepared).toEqual([1, 2, 3, 4]);
});
