import { expect, it } from "vitest";
import { lineageOf, lineageText } from "../../../src/pipelines/plan/lineage.js";
import type { PipelinePlan } from "../../../src/pipelines/plan/pipeline-plan.js";
import { FilledRun, filledPipeline, HeldIds, takenOf } from "../../support/pipelines/filled-pipeline.js";
import { lawSeeds } from "../../support/pipelines/law/each-seed.js";
import { findingsIn, soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";

/** Runs a pipeline in rounds, and expects its sinks to hold the ids that are computed here. */
async function expectFilled(
  plan: PipelinePlan,
  idsOf: (chain: PlayedChain) => readonly string[],
): Promise<void> {
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
    const expected = idsOf(chain);
    expect(expected.length, `seed ${seed}`).toBeGreaterThan(2);
    expect(quick.ids, `seed ${seed}`).toEqual(expected);
    expect(slow.ids, `seed ${seed}`).toEqual(expected);
  }
}

it("INV-P13: a filled table holds for each row the values of its block and earlier ones, through reorganisations and restarts", async () => {
  await expectFilled(await filledPipeline(), takenOf);
});

/** Joins each transfer with the last large one of its sender. */
const joining = `
name: joined
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest } }
transforms:
  latest: { type: dynamic_table, backend_type: InMemory, backend_entity_name: l, primary_key: sender, sql: "SELECT sender, amount, block_number FROM transfers WHERE amount >= 800" }
  made: { primary_key: id, sql: "SELECT transfers.id || ' ' || coalesce(l.amount::VARCHAR, 'none') AS id FROM transfers LEFT JOIN latest AS l ON l.sender = transfers.sender" }
sinks: { out: { type: print, from: made } }`;

it("INV-P13: a row joins the version of a table's row that its block and earlier ones have made", async () => {
  await expectFilled(await soundPipeline(joining), (chain) =>
    chain.rows
      .map(({ id, who, block_number: block }) => {
        const last = chain.rows.findLast(
          (row) => row.who === who && Number(row.amount) >= 800 && Number(row.block_number) <= Number(block),
        );
        return `${String(id)} ${String(last?.amount ?? "none")}`;
      })
      .sort(),
  );
});

it.each([
  [", block_number FROM", " FROM", 'the query of table "latest" must also select block_number'],
  ["InMemory", "Postgres, secret_name: S", "a table with primary_key is kept in memory"],
  [
    "SELECT sender,",
    "SELECT 1.5::DOUBLE AS sender,",
    'the key "sender" of table "latest" is neither text nor an integer',
  ],
])("a table with rows is refused without what it needs: %s", async (written, wrong, message) => {
  expect(await findingsIn(joining.replace(written, wrong))).toContain(`table-fill: ${message}`);
});

it("a query has another lineage if the query of a table changes with whose rows it joins", async () => {
  const lineage = async (yaml: string): Promise<string> =>
    lineageText(lineageOf("made", await soundPipeline(yaml)));
  expect(await lineage(joining.replace(">= 800", ">= 700"))).not.toBe(await lineage(joining));
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
