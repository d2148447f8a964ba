import { expect, it } from "vitest";
import type { PipelinePlan, PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import { openProgram, type Program } from "../../../src/pipelines/runner/program.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { openPostgresStore } from "../../../src/pipelines/transforms/dynamic-table/postgres-store.js";
import { openPostgresTable } from "../../../src/pipelines/transforms/dynamic-table/postgres-table.js";
import type { TableOwner, TableStore } from "../../../src/pipelines/transforms/dynamic-table/table-store.js";
import { type Database, DatabaseError, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { FilledRun, filledPipeline, HeldIds, takenOf } from "../../support/pipelines/filled-pipeline.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";
import { objectsOf, rowsOf } from "../../support/pipelines/row-objects.js";

const definition = `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
transforms:
  miners: { type: dynamic_table, backend_type: Postgres, backend_entity_name: "The miners", secret_name: DB }
  known:
    sql: SELECT id, dynamic_table_check('Miners', miner) AS known FROM blocks WHERE _ab_dynamic_table_check('miners', miner) OR id = 'all'
    primary_key: id
sinks: { shown: { type: print, from: known } }`;

describeDatabase("a dynamic table", false, ({ bare }) => {
  async function emptied(): Promise<Database> {
    const database = await bare();
    await database.run(SQL`drop schema if exists graphloom_flows_tables cascade`);
    // It belongs to the tests, so a table must not close it.
    return {
      provider: database.provider,
      query: (...given) => database.query(...given),
      run: (script) => database.run(script),
      listen: (...given) => database.listen(...given),
      transaction: (work) => database.transaction(work),
      close: async () => undefined,
    };
  }

  async function opened(
    database: Database,
    clock: () => number,
    debounce = 1_000,
  ): Promise<[PipelinePlan, Program]> {
    const plan = await soundPipeline(definition);
    const program = await openProgram(plan, plan.sinks[0] as PlannedSink, {
      ...onlySql,
      openTable: ({ definition: { settings } }) =>
        openPostgresTable({
          database,
          name: settings.backend_entity_name?.value ?? "",
          debounce,
          clock: { now: clock },
        }),
    });
    return [plan, program];
  }

  async function idsOf([plan, program]: [PipelinePlan, Program]): Promise<readonly unknown[]> {
    const columns = plan.sources[0]?.schema.columns ?? [];
    const blocks = ["a", "b", "", null].map((miner) => ({ id: miner ?? "all", miner }));
    const none = rowsOf(columns, []);
    const { plus } = await program.apply("blocks", { minus: none, plus: rowsOf(columns, blocks) });
    const made = plan.sinks[0]?.schema.columns ?? [];
    return objectsOf(made, plus).map(({ id, known }) => `${String(id)} ${String(known)}`);
  }

  it("a dynamic table creates a missing table, and reads changes that others write at the configured interval", async () => {
    const database = await emptied();
    let now = 0;
    const flow = await opened(database, () => now);
    expect(await idsOf(flow)).toEqual(["all null"]);
    await database.run(SQL`insert into graphloom_flows_tables."The miners" (value) values ('a')`);
    expect(await idsOf(flow)).toEqual(["all null"]);
    now = 1_000;
    expect(await idsOf(flow)).toEqual(["a true", "all null"]);
    await database.run(SQL`delete from graphloom_flows_tables."The miners"`);
    now = 1_999;
    expect(await idsOf(flow)).toEqual(["a true", "all null"]);
    now = 2_000;
    expect(await idsOf(flow)).toEqual(["all null"]);
    await flow[1].close();
  });

  it("a dynamic table may be a user's own table or view that can only be read", async () => {
    const database = await emptied();
    await database.run(SQL`create schema graphloom_flows_tables`);
    await database.run(
      SQL`create view graphloom_flows_tables."The miners" as select 'b' as value union all select null`,
    );
    const transaction = async (): Promise<never> => {
      throw new DatabaseError("permission denied");
    };
    const flow = await opened({ ...database, transaction }, () => 0);
    expect(await idsOf(flow)).toEqual(["b true", "all null"]);
    await flow[1].close();
  });

  it("a dynamic table is filled by a query, with its position, and keeps values that others add", async () => {
    const database = await emptied();
    await database.run(SQL`drop table if exists graphloom_flows.filled_tables`);
    const chain = new PlayedChain(randomOf(1), 6);
    const plan = await filledPipeline("backend_type: Postgres, secret_name: DB");
    let now = 0;
    let cuts = 0;
    let cut = 0;
    const interrupt = (): void => {
      if (cuts === 0) return;
      cuts -= 1;
      cut += 1;
      throw new DatabaseError("the test has cut the connection");
    };
    // Whether a commit has succeeded is not known when the connection breaks.
    const broken: Database = {
      ...database,
      transaction: async (work, options) => {
        const result = await database.transaction(work, options);
        if (!options?.snapshot) interrupt();
        return result;
      },
    };
    const openStore = (owner: Omit<TableOwner, "isReadOnly">): Promise<TableStore> =>
      openPostgresStore({
        ...owner,
        isReadOnly: false,
        database: broken,
        name: "rich",
        debounce: 1_000,
        clock: { now: () => now },
      });
    const sink = new HeldIds();
    const run = async (interruptions = 0): Promise<void> => {
      const one = new FilledRun(plan, chain, 7, openStore);
      cuts = interruptions;
      for (let isDone = false; !isDone; )
        isDone = await one.drain(sink).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof SinkError && error.isTemporary)) throw error;
            return false;
          },
        );
      await one.tables.close();
    };
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 7; count += 1) chain.mine();
      await run(2);
      chain.reorganise(5);
    }
    await run();
    expect(cut).toBeGreaterThan(2);
    expect(sink.ids).toEqual(takenOf(chain));
    expect(sink.ids.length).toBeGreaterThan(2);
    const kept = await database.query(SQL`select block from graphloom_flows_tables.rich where block is null`);
    expect(kept).toEqual([]);
    await database.run(SQL`insert into graphloom_flows_tables.rich (value)
      select letter || number from unnest('{a,b,c}'::text[]) letter, generate_series(0, 5) number on conflict do nothing`);
    now = 5_000;
    const before = chain.rows.length;
    for (let count = 0; count < 3; count += 1) chain.mine();
    await run();
    const later = chain.rows.slice(before).filter(({ amount }) => amount !== null);
    expect(later.length).toBeGreaterThan(0);
    for (const { id } of later) expect(sink.ids).toContain(id);
  });

  it("a dynamic table is filled by one run of one query", async () => {
    const database = await emptied();
    await database.run(SQL`drop table if exists graphloom_flows.filled_tables`);
    const open = (more: Partial<TableOwner>): Promise<TableStore> =>
      openPostgresStore({
        flow: "f",
        lineage: "l",
        isReadOnly: false,
        database,
        name: "rich",
        debounce: 0,
        clock: { now: () => 0 },
        ...more,
      });
    const step = { added: new Map([["a", 3]]), undone: undefined, position: { next: 4, open: [] } };
    const [one, other] = [await open({}), await open({})];
    await one.load();
    await other.load();
    await one.write(step);
    await expect(other.write(step)).rejects.toThrow("Another run fills table graphloom_flows_tables.rich.");
    const kept = await (await open({})).load();
    expect(kept).toEqual({ values: new Map([["a", 3]]), position: { next: 4, open: [] } });
    await expect((await open({ lineage: "m" })).load()).rejects.toThrow("was filled by another query");
    await expect((await open({ flow: "g" })).load()).rejects.toThrow("was filled by pipeline f");
    const reader = await open({ isReadOnly: true });
    await reader.load();
    await expect(reader.write(step)).rejects.toThrow("is not filled as far as the rows");
  });

  it("a dynamic table reports why a table cannot be created or read", async () => {
    const database = await emptied();
    const transaction = async (): Promise<never> => {
      throw new DatabaseError("permission denied", { code: "42501" });
    };
    await expect(opened({ ...database, transaction }, () => 0)).rejects.toMatchObject({
      name: "SinkError",
      isTemporary: false,
      message: "permission denied",
    });
    await database.run(SQL`create schema graphloom_flows_tables`);
    await database.run(SQL`create table graphloom_flows_tables."The miners" (address text)`);
    await expect(opened(database, () => 0)).rejects.toMatchObject({
      name: "SinkError",
      isTemporary: false,
      message: expect.stringContaining('column "value" does not exist'),
    });
  });
});
