import { expect, it } from "vitest";
import type { FlowPlan, PlannedSink } from "../../../src/flows/plan/flow-plan.js";
import { openProgram, type Program } from "../../../src/flows/runner/program.js";
import { openPostgresTable } from "../../../src/flows/transforms/dynamic-table/postgres-table.js";
import { type Database, DatabaseError, SQL } from "../../../src/store/database/database.js";
import { describeDatabase } from "../../support/database/databases.js";
import { onlySql } from "../../support/flows/law-flow.js";
import { soundFlow } from "../../support/flows/planned-flow.js";
import { objectsOf, rowsOf } from "../../support/flows/row-objects.js";

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
  ): Promise<[FlowPlan, Program]> {
    const plan = await soundFlow(definition);
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

  async function idsOf([plan, program]: [FlowPlan, Program]): Promise<readonly unknown[]> {
    const columns = plan.sources[0]?.schema.columns ?? [];
    const blocks = ["a", "b", "", null].map((miner) => ({ id: miner ?? "all", miner }));
    const none = rowsOf(columns, []);
    const { plus } = await program.apply("blocks", { minus: none, plus: rowsOf(columns, blocks) });
    const made = plan.sinks[0]?.schema.columns ?? [];
    return objectsOf(made, plus).map(({ id, known }) => `${String(id)} ${String(known)}`);
  }

  it("is made where it is not there, and follows what others write, no more often than it should", async () => {
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

  it("may be a table or view of the user's own, which must only be readable", async () => {
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

  it("says what is wrong with a table that cannot be made or read", async () => {
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
