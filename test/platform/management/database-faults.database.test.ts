import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { type FaultyDatabase, faultyDatabase, passingCodes } from "../../support/database/faulty-database.js";
import { propertyRun } from "../../support/property/property-run.js";
import { sampleBundle } from "../../support/server/management-sample.js";
import {
  deployForm,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";

const databases = onEither();
let database: FaultyDatabase;
let server: TestPlatform;
beforeAll(async () => {
  database = faultyDatabase(await databases.fresh());
  server = await startPlatform(database);
  await deploy("watched");
});
afterAll(() => server?.close());

const deploy = (name: string): Promise<TestAnswer> =>
  server.ask(`/subgraphs/${name}/deployments/1.0.0`, { method: "PUT", form: deployForm(sampleBundle()) });
const hook = (name: string): Promise<TestAnswer> =>
  server.ask("/subgraphs/webhooks", {
    method: "POST",
    body: {
      name,
      webhook_url: "http://127.0.0.1:9/",
      entity: "swap",
      subgraph_name: "watched",
      subgraph_version: "1.0.0",
    },
  });

it.each([
  { what: "a deployment", request: deploy, table: SQL`graphloom.versions`, again: [200, 201] },
  { what: "a webhook", request: hook, table: SQL`graphloom.webhooks`, again: [200, 201, 409] },
])("$what is accepted once the database works again after any statement failed", async ({
  request,
  table,
  again,
}) => {
  database.arm();
  const first = await request("undisturbed");
  expect([first.status, first.text]).toEqual([expect.toBeOneOf([200, 201]), expect.anything()]);
  const faults = fc.record({
    step: fc.integer({ min: 1, max: database.steps() }),
    code: fc.constantFrom(...passingCodes),
    isLate: fc.boolean(),
  });
  let cases = 0;
  const holds = fc.asyncProperty(faults, async (fault) => {
    cases += 1;
    const name = `disturbed${cases}`;
    database.arm(fault);
    const disturbed = await request(name);
    database.arm();
    // Some work is done without the answer: notifications, and following the catalog.
    expect([disturbed.status, disturbed.text]).toEqual([
      expect.toBeOneOf([200, 201, 503]),
      expect.anything(),
    ]);
    if (disturbed.status === 503) {
      const repeated = await request(name);
      expect([repeated.status, repeated.text]).toEqual([expect.toBeOneOf(again), expect.anything()]);
    }
    const rows = await database.query(SQL`select from ${table} where name = $1::text`, [name]);
    expect(rows).toHaveLength(1);
  });
  await fc.assert(holds, propertyRun(15));
});
