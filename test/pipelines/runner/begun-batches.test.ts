import { expect, it } from "vitest";
import { begunBatches } from "../../../src/pipelines/runner/begun-batches.js";

/** Something that is being made, until it is ended. */
interface Making {
  readonly batch: number;
  end(error?: Error): void;
}

/** Makes batches one after another as they are ended by hand. @param waits batches that have to wait for their turn */
function making(waits: readonly number[] = []) {
  const begun: Making[] = [];
  const begin = (batch: number): Promise<string> | undefined =>
    waits.includes(batch)
      ? undefined
      : new Promise((resolve, reject) => {
          begun.push({ batch, end: (error) => (error ? reject(error) : resolve(`made ${batch}`)) });
        });
  return { begun, begin, numbers: () => begun.map(({ batch }) => batch) };
}

async function* upTo(last: number): AsyncGenerator<number, void, void> {
  for (let batch = 1; batch <= last; batch += 1) yield batch;
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it("the runner computes two batches at once, and returns them in order", async () => {
  const { begun, begin, numbers } = making();
  const batches = begunBatches(upTo(4), begin);
  const first = await batches.next();
  await turn();
  expect(numbers()).toEqual([1, 2]);
  begun[1]?.end();
  begun[0]?.end();
  expect(await first.value?.made).toBe("made 1");
  const second = await batches.next();
  expect(await second.value?.made).toBe("made 2");
  await turn();
  expect(numbers()).toEqual([1, 2, 3]);
  begun[2]?.end();
  expect((await batches.next()).value?.batch).toBe(3);
  await turn();
  begun[3]?.end();
  expect(await (await batches.next()).value?.made).toBe("made 4");
  expect(await batches.next()).toEqual({ value: undefined, done: true });
});

it("the runner starts nothing after a batch that must wait for its turn", async () => {
  const { begin, numbers } = making([1]);
  const batches = begunBatches(upTo(3), begin);
  expect(await batches.next()).toEqual({ value: { batch: 1, made: undefined }, done: false });
  await turn();
  expect(numbers()).toEqual([]);
  await batches.next();
  await turn();
  expect(numbers()).toEqual([2, 3]);
});

it("the runner holds no other batch after it has ended", async () => {
  const { begun, begin, numbers } = making();
  const batches = begunBatches(upTo(9), begin);
  await batches.next();
  await turn();
  let isOver = false;
  const over = batches.return().then(() => {
    isOver = true;
  });
  begun[0]?.end();
  await turn();
  expect(isOver).toBe(false);
  begun[1]?.end(new Error("no memory"));
  await over;
  await turn();
  expect(numbers()).toEqual([1, 2]);
});

it("the runner passes on the failure of a batch after the batches before it", async () => {
  const { begun, begin } = making();
  const failing = async function* (): AsyncGenerator<number, void, void> {
    yield 1;
    throw new Error("no answer");
  };
  const batches = begunBatches(failing(), begin);
  const first = await batches.next();
  await turn();
  begun[0]?.end();
  expect(await first.value?.made).toBe("made 1");
  await expect(batches.next()).rejects.toThrow("no answer");
});
