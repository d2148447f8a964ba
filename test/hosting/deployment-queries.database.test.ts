import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { createEmbeddedEngine } from "../../src/hosting/embedded/create-embedded-engine.js";
import { DeploymentQueries } from "../../src/hosting/embedded/deployment-queries.js";
import { WorkBudget } from "../../src/platform/endpoints/work-budget.js";
import { readQueryBody } from "../../src/query/query-body.js";
import { Nodes } from "../../src/rpc/nodes.js";
import { type Database, SQL, type SqlFragment } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { openPostgres } from "../../src/store/database/postgres/postgres-database.js";
import { quoteName, quoteText } from "../../src/store/database/quote.js";
import { type Deployment, layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { onPostgres, world } from "../support/database/databases.js";
import { postgresIn, postgresMissing } from "../support/database/postgres-server.js";
import { watchedTime } from "../support/database/watched-time.js";
import { untilWaiting } from "../support/database/while-waiting.js";
import { until } from "../support/until.js";

describe.skipIf(postgresMissing !== undefined)("Queries to a deployment", () => {
  const databases = onPostgres();
  let database: Database;

  beforeAll(async () => {
    database = await databases.fresh();
    await migrate(database);
  });

  const make = async (name: string): Promise<Deployment> => {
    const made = await openDeployment(database, {
      deployment: "QmA",
      network: "mainnet",
      schema: "type Pool @entity(immutable: true) { id: String! }",
      startBlock: 1,
    });
    await database.run(
      SQL`insert into ${quoteName(made.namespace)}.pool (vid, block$, id) values (1, 1, ${quoteText(name)})`,
    );
    return made;
  };

  test("answers from the current tables after another process recreates the deployment", async () => {
    const queries = new DeploymentQueries(database, world);
    const ask = async (): Promise<string> =>
      (await queries.answer("QmA", readQueryBody('{"query":"{ pools { id } }"}'))).body;
    const start = () =>
      database.run(SQL`update graphloom.deployments set head_number = 1, head_hash = '0x01'`);
    const missing = expect.stringContaining("has not started syncing yet");
    expect(await ask()).toEqual(missing);
    await make("first");
    expect(await ask()).toEqual(missing);
    await start();
    expect([await ask(), await ask()]).toEqual(Array(2).fill('{"data":{"pools":[{"id":"first"}]}}'));
    await dropDeployment(database, "QmA");
    expect(await ask()).toEqual(missing);
    const made = await make("second");
    await start();
    expect(await ask()).toBe('{"data":{"pools":[{"id":"second"}]}}');
    await dropDeployment(database, "QmA");
    expect((await make("third")).id).not.toBe(made.id);
    await start();
    expect(await ask()).toBe('{"data":{"pools":[{"id":"third"}]}}');
    expect((await queries.storage("QmA"))?.layout.tables).toEqual(
      layoutOf((await queries.storage("QmA"))?.deployment ?? made).tables,
    );
  });

  describe("cost their client", () => {
    const time = watchedTime();
    const payer = new WorkBudget(0.25, time.now).of("a client");
    let queries: DeploymentQueries;
    let watching: Database;
    let table: SqlFragment;

    beforeAll(async () => {
      await dropDeployment(database, "QmA");
      const made = await make("first");
      table = SQL`${quoteName(made.namespace)}.pool`;
      await database.run(SQL`update graphloom.deployments set head_number = 1, head_hash = '0x01'`);
      const [row] = await database.query(SQL`select current_database() as name`);
      watching = await openPostgres(postgresIn(inject("postgresFolder")).address(row?.name ?? ""), time);
      queries = new DeploymentQueries(watching, time);
    });
    afterAll(() => watching.close());

    const ask = (filter: string) =>
      queries.answer(
        "QmA",
        readQueryBody(JSON.stringify({ query: `{ pools(where: { ${filter} }) { id } }` })),
        payer.spend,
      );

    test("nothing while another session locks the table, and the deployment's health names the lock", async () => {
      let asked: ReturnType<typeof ask> | undefined;
      await database.transaction(async (sql) => {
        await sql.run(SQL`lock table ${table} in access exclusive mode`);
        asked = ask('id: "first"');
        await untilWaiting(database, asked);
        for (let seconds = 0; seconds < 20; seconds++) await time.pass(1_000);
        const engine = createEmbeddedEngine({
          database: watching,
          address: "not used",
          world: time,
          nodes: new Nodes(new Map(), time),
        });
        const status = await until(async () => {
          time.skip(1_000);
          const found = (await engine.status(["QmA"])).get("QmA");
          return found?.health === "unhealthy" && found;
        });
        expect(status.nonFatalErrors).toMatchObject([
          {
            isDeterministic: false,
            message: expect.stringMatching(/^A statement has waited for a lock on sgd\d+\.pool since /),
          },
        ]);
        await engine.close();
      });
      expect((await asked)?.body).toBe('{"data":{"pools":[{"id":"first"}]}}');
      expect(payer.wait()).toBe(0);
    });

    test("the time in which the database works", async () => {
      await database.run(
        SQL`insert into ${table} (vid, block$, id) select n, 1, n::text || repeat('x', 900) from generate_series(2, 20000) n`,
      );
      const asked = ask('id_contains_nocase: "yy", id_not_contains_nocase: "xxy", id_not_ends_with: "y"');
      await until(async () => {
        const rows = await database.query(
          SQL`select 1 from pg_stat_activity where state = 'active' and query like '%ilike%' and pid <> pg_backend_pid()`,
        );
        return rows.length > 0;
      });
      await time.pass(12_000);
      expect((await asked).body).toBe('{"data":{"pools":[]}}');
      expect(payer.wait()).toBe(38_000);
    });
  });
});
