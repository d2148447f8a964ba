import { expect, it } from "vitest";
import { auditSink, isSound } from "../../../src/pipelines/audit/audit-sink.js";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { type PipelineWorld, runSinks } from "../../../src/pipelines/runner/run-sinks.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { auditWorld, listed, repairs, verifies } from "../../support/pipelines/audited-pipeline.js";
import { filledPipeline, takenOf, transfersOf } from "../../support/pipelines/filled-pipeline.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";

describeDatabase("a pipeline in PostgreSQL", false, ({ bare }) => {
  /** A database without anything of this test, and what runs and audits of a plan need. */
  async function opened(plan: PipelinePlan, chain: PlayedChain) {
    const database = await bare();
    await database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_job cascade`,
    );
    const open = (): Database => ({ ...withoutClose(database) });
    const columns = plan.sources[0]?.schema.columns ?? [];
    const audited = auditWorld(
      { chain, feed: new PlayedFeed(randomOf(1)) },
      {
        secret: () => "postgres://localhost/flow",
        openDatabase: async () => open(),
        openSource: () => transfersOf(chain, columns, 3),
      },
    );
    const clock = {
      now: () => Date.now(),
      random: () => 0.5,
      timeout: (limit: number) => AbortSignal.timeout(limit),
    };
    const world = {
      ...audited,
      ...onlySql,
      clock,
      openSource: () => transfersOf(chain, columns, 7),
    } as unknown as PipelineWorld;
    const run = async (): Promise<void> => {
      const ends = await runSinks(plan, world, () => undefined, new AbortController().signal);
      for (const state of ends.values()) expect(state).toMatchObject({ kind: "ended" });
    };
    return { database, audited, run, sink: plan.sinks[0] as PlannedSink };
  }

  it("a job writes each row once, and its sink can be verified and repaired", async () => {
    const plan = await soundPipeline(`
name: sums
job: true
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: earliest, end_block: 39 } }
transforms: { made: { sql: "SELECT sender AS id, sum(amount % 1000) AS total, count(*) AS n FROM transfers GROUP BY sender", primary_key: id } }
sinks: { out: { type: postgres, from: made, schema: flow_job, table: sums, secret_name: DB } }`);
    const chain = new PlayedChain(randomOf(3), 0);
    for (let count = 0; count < 40; count += 1) chain.mine();
    const { database, audited, run, sink } = await opened(plan, chain);
    await run();
    await run();
    const sums = new Map<string, bigint>();
    for (const { who, amount } of chain.rows)
      sums.set(String(who), (sums.get(String(who)) ?? 0n) + (BigInt(String(amount ?? 0)) % 1000n));
    const rows = await database.query(SQL`select id, total from flow_job.sums order by id`);
    expect(rows).toEqual([...sums].sort().map(([id, total]) => ({ id, total: String(total) })));
    expect(isSound(await auditSink(plan, sink, audited, verifies))).toBe(true);
    await database.run(SQL`delete from flow_job.sums where id = 'b'`);
    expect(listed(await auditSink(plan, sink, audited, verifies))).toEqual(["missing b"]);
    await auditSink(plan, sink, audited, repairs);
    expect(await database.query(SQL`select id, total from flow_job.sums order by id`)).toEqual(rows);
  });

  it("an audit verifies rows against the values that a filled table had at each block", async () => {
    const plan = await filledPipeline(
      undefined,
      "type: postgres, schema: flow_job, table: taken, secret_name: DB",
    );
    const chain = new PlayedChain(randomOf(2), 4);
    for (let count = 0; count < 25; count += 1) chain.mine();
    const { database, audited, run, sink } = await opened(plan, chain);
    await run();
    const ids = await database.query(SQL`select id from flow_job.taken`);
    expect(ids.map(({ id }) => id).sort()).toEqual(takenOf(chain));
    expect(isSound(await auditSink(plan, sink, audited, verifies))).toBe(true);
    const [first] = takenOf(chain);
    await database.query(SQL`delete from flow_job.taken where id = $1::text`, [first ?? ""]);
    expect(listed(await auditSink(plan, sink, audited, verifies))).toEqual([`missing ${first}`]);
  });
});

function withoutClose(database: Database): Database {
  return {
    provider: database.provider,
    query: (...given) => database.query(...given),
    run: (script) => database.run(script),
    listen: (...given) => database.listen(...given),
    transaction: (...given) => database.transaction(...given),
    close: async () => undefined,
  };
}
