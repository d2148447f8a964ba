import { beforeAll, describe, expect, test } from "vitest";
import { DeploymentQueries } from "../../src/hosting/embedded/deployment-queries.js";
import { readQueryBody } from "../../src/query/query-body.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { quoteName, quoteText } from "../../src/store/database/quote.js";
import { type Deployment, layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { onPostgres, world } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";

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
});
