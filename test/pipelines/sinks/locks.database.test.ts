import { beforeEach, expect, test } from "vitest";
import { createChainTables, pipelineOf, schemaOf } from "../../../src/data/filling/chain-tables.js";
import { postgresTables } from "../../../src/pipelines/sinks/postgres/postgres-table.js";
import { createStateTables } from "../../../src/pipelines/sinks/postgres/state-tables.js";
import { writtenPlaces } from "../../../src/pipelines/sinks/postgres/written-places.js";
import { prepareTable } from "../../../src/pipelines/sinks/tables/prepare-table.js";
import { createTable } from "../../../src/pipelines/transforms/dynamic-table/postgres-table.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { describeDatabases } from "../../support/database/databases.js";
import { whileWaiting } from "../../support/database/while-waiting.js";

const schema = {
  columns: [{ name: "id", type: "LONG", nullable: false }],
  key: ["id"],
} as const;

describeDatabases("sinks that begin at once", ({ fresh, provider }) => {
  let database: Database;
  let created: string[];

  beforeEach(async () => {
    database = await fresh();
    created = [];
    await database.run(SQL`drop schema if exists begun cascade; drop schema if exists graphloom_flows_tables cascade;
      drop schema if exists graphloom_flows cascade; drop schema if exists graphloom_data_ethereum cascade`);
  });

  const prepare = (held: Database, name: string) =>
    prepareTable(
      postgresTables,
      { database: held, table: { schema: "begun", name }, schema, overrides: new Map() },
      async () => void created.push(name),
    );

  test("two pipelines create one schema for two tables", async () => {
    await whileWaiting(
      database,
      (held) => prepare(held, "one"),
      () => prepare(database, "two"),
    );
    expect(created).toEqual(["one", "two"]);
  });

  test("two pipelines create one table once", async () => {
    const columns = await whileWaiting(
      database,
      (held) => prepare(held, "one"),
      () => prepare(database, "one"),
    );
    expect(columns.map(({ name }) => name)).toEqual(["id"]);
    expect(created).toEqual(["one"]);
  });

  test("two pipelines create one schema for two tables of values", async () => {
    await whileWaiting(
      database,
      (held) => createTable(held, "one"),
      () => createTable(database, "two"),
    );
    expect(await database.query(SQL`select from graphloom_flows_tables.two`)).toEqual([]);
  });

  test("two pipelines keep rows that another process has written to the tables of a chain since", async () => {
    const places = {
      flow: pipelineOf("ethereum"),
      sink: "blocks",
      table: { schema: schemaOf("ethereum"), name: "blocks" },
    };
    await whileWaiting(
      database,
      async (held) => {
        await createChainTables(held, "ethereum");
        await held.query(
          SQL`insert into graphloom_flows.positions (flow, sink, target, source, next, version)
            values ($1::text, $2::text, $3::text, 'headers', 7, 0)`,
          [places.flow, places.sink, JSON.stringify([places.table.schema, places.table.name])],
        );
      },
      () => createChainTables(database, "ethereum"),
    );
    expect(await writtenPlaces(database, places)).toEqual([{ source: "headers", next: 7, open: [] }]);
  });

  test.runIf(provider === "postgres")(
    "two pipelines need not wait for a deployment that is being created",
    async () => {
      const wanted = {
        deployment: "QmSlow",
        network: "mainnet",
        schema: "type A @entity { id: ID! }",
        startBlock: 0,
      };
      const begin = (): Promise<void> =>
        database.transaction(async (sql) => {
          await sql.run(SQL`set local lock_timeout = 500`);
          await createStateTables(sql);
        });
      await whileWaiting(
        database,
        async (held) => {
          await openDeployment(held, wanted);
          await begin();
        },
        async () => undefined,
      );
      expect(await database.query(SQL`select from graphloom_flows.positions`)).toEqual([]);
    },
  );
});
