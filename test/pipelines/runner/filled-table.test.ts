import { expect, it } from "vitest";
import { FilledRun, filledPipeline, HeldIds, takenOf } from "../../support/pipelines/filled-pipeline.js";
import { lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";

it("INV-P13: a filled table holds for each row the values of its block and earlier ones, through reorganisations and restarts", async () => {
  const plan = await filledPipeline();
  for (let seed = 2; seed < 2 + lawSeeds(1); seed += 1) {
    const random = randomOf(seed);
    const chain = new PlayedChain(random, 6);
    const [quick, slow] = [new HeldIds(), new HeldIds()];
    let run = new FilledRun(plan, chain, 7);
    for (let round = 0; round < 6; round += 1) {
      for (let count = 1 + Math.floor(random() * 9); count > 0; count -= 1) chain.mine();
      if (random() < 0.7) chain.reorganise(1 + Math.floor(random() * 6));
      await run.drain(quick);
      if (random() < 0.3) await run.drain(slow);
      if (random() < 0.2) {
        await run.tables.close();
        run = new FilledRun(plan, chain, 7);
      }
    }
    await run.drain(slow);
    await run.tables.close();
    const expected = takenOf(chain);
    expect(expected.length, `seed ${seed}`).toBeGreaterThan(2);
    expect(quick.ids, `seed ${seed}`).toEqual(expected);
    expect(slow.ids, `seed ${seed}`).toEqual(expected);
  }
});

it("a filled table drops values that a replaced block added, and keeps a value that an earlier block also added", async () => {
  const plan = await filledPipeline();
  const chain = new PlayedChain(() => 0, 6);
  const block = (hash: string, ...amounts: readonly number[]): void => {
    const number = chain.blocks.length;
    const ids = amounts.map((_, index) => `${hash}-${index}`);
    const columns = [ids, ids.map(() => BigInt(number)), ids.map(() => "a"), amounts.map(String)];
    chain.blocks.push({ number, hash, rows: { count: ids.length, columns } });
  };
  const sink = new HeldIds();
  const run = new FilledRun(plan, chain, 7);
  // Amounts from 800 on put their remainder by 6 into the table.
  block("first", 801);
  block("second", 3, 6);
  block("third", 804, 6, 810);
  await run.drain(sink);
  expect(sink.ids).toEqual(["first-0", "second-0", "third-0", "third-1", "third-2"]);
  chain.blocks.length = 2;
  block("other", 3, 6);
  await run.drain(sink);
  expect(sink.ids).toEqual(["first-0", "other-0", "second-0"]);
  await run.tables.close();
});
