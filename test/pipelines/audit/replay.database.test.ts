import { expect, it } from "vitest";
import {
  type ReplayOutcome,
  type ReplayRequest,
  replaySink,
} from "../../../src/pipelines/audit/replay-sink.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import {
  auditWorld,
  type Played,
  plainPipeline,
  playThrough,
  writeAll,
} from "../../support/pipelines/audited-pipeline.js";
import { text } from "../../support/pipelines/law-pipeline.js";
import { thisRun } from "../../support/pipelines/other-run.js";

const settings = { secret_name: text("db"), schema: text("flow_audit"), table: text("chosen") };

describeDatabase("a replay into a table", false, ({ bare }) => {
  async function emptied(): Promise<Database> {
    const database = await bare();
    await database.run(
      SQL`drop schema if exists graphloom_flows cascade; drop schema if exists flow_audit cascade`,
    );
    return database;
  }

  function worldOf(database: Database, played: Played) {
    return auditWorld(played, {
      secret: () => "postgres://localhost/flow",
      openDatabase: async () => ({
        provider: database.provider,
        query: (...given) => database.query(...given),
        run: (script) => database.run(script),
        listen: (...given) => database.listen(...given),
        transaction: (...given) => database.transaction(...given),
        close: async () => undefined,
      }),
    });
  }

  /** Writes the chain into the table. */
  async function written(key: readonly string[]) {
    const database = await emptied();
    const flow = plainPipeline(key, "postgres", settings);
    const played = await playThrough(3, async (now) =>
      writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, worldOf(database, now)), now),
    );
    const world = worldOf(database, played);
    const replay = (given: Partial<ReplayRequest>, sink: PlannedSink = flow.sink): Promise<ReplayOutcome> =>
      replaySink(flow.plan, sink, world, {
        range: { from: 0, to: 10 },
        onRange: () => undefined,
        confirm: async () => true,
        ...given,
      });
    return { database, flow, played, world, replay };
  }

  async function contentOf(database: Database): Promise<readonly unknown[]> {
    return [
      await database.query(SQL`select * from flow_audit.chosen order by 1, 2, 3, 4`),
      await database.query(SQL`select source, next from graphloom_flows.positions order by 1`),
      await database.query(SQL`select * from graphloom_flows.ledger order by 4, 5`),
    ];
  }

  it("a replay writes lost rows again, and leaves everything else unchanged", async () => {
    const { database, played, replay } = await written(["id"]);
    const before = await contentOf(database);
    await database.query(SQL`delete from flow_audit.chosen where block_number between 2 and 5`);
    await database.query(SQL`update flow_audit.chosen set who = 'nobody' where block_number = 6`);
    const asked: unknown[] = [];
    const rows = played.chain.blocks.slice(0, 11).reduce((sum, { rows: { count } }) => sum + count, 0);
    const confirm = async (counts: unknown): Promise<boolean> => asked.push(counts) > 0;
    expect(await replay({ confirm })).toEqual({ rows, overtaken: 0, isSent: true });
    expect(asked).toEqual([{ rows, overtaken: 0 }]);
    expect(await contentOf(database)).toEqual(before);
  });

  it("a replay drops rows that a later one has overtaken, also one that may still be undone", async () => {
    const { database, played, replay } = await written(["who"]);
    const before = await contentOf(database);
    const rows = played.chain.blocks.slice(0, 11).reduce((sum, { rows: { count } }) => sum + count, 0);
    expect(await replay({})).toEqual({ rows: 0, overtaken: rows, isSent: false });
    expect(await contentOf(database)).toEqual(before);
  });

  it("a replay sends no rows if the user declines", async () => {
    const { database, replay } = await written(["id"]);
    await database.query(SQL`delete from flow_audit.chosen`);
    const damaged = await contentOf(database);
    expect(await replay({ confirm: async () => false })).toMatchObject({ isSent: false });
    expect(await contentOf(database)).toEqual(damaged);
  });

  it("a replay refuses blocks that may still be undone, tables without a key, and sinks that write once", async () => {
    const { flow, played, replay } = await written(["id"]);
    const last = played.chain.blocks.length - 1;
    await expect(replay({ range: { from: 0, to: last } })).rejects.toThrow(
      `Block ${last} of source played may still be undone, or is not in sink out yet. The last block that can be replayed is ${last - 8}.`,
    );
    await expect(replay({}, { ...flow.sink, schema: { ...flow.sink.schema, key: [] } })).rejects.toThrow(
      "The rows of sink out have no key, so they would be in its table twice.",
    );
    const definition = { type: "file", name: text("out"), settings: {} } as PlannedSink["definition"];
    await expect(replay({}, { ...flow.sink, definition })).rejects.toThrow(
      "Sink out writes each file once. Mend its files with: graphloom pipeline repair",
    );
  });

  it("a replay does not run beside another writer", async () => {
    const { database, flow, played, world, replay } = await written(["id"]);
    const running = await openSink(flow.sink, flow.owner, world);
    expect(await replay({})).toMatchObject({ isSent: true });
    played.chain.mine();
    await expect(writeAll(flow, flow.sink, running, played)).rejects.toThrow(
      new RegExp(`^Another run of pipeline plain writes sink out${thisRun.source}`),
    );
    const confirm = async (): Promise<boolean> => {
      await database.query(SQL`update graphloom_flows.positions set version = version + 1`);
      return true;
    };
    await expect(replay({ confirm })).rejects.toThrow("Another run of pipeline plain writes sink out: ");
  });
});
