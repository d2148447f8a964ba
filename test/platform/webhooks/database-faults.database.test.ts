import fc from "fast-check";
import { beforeAll, it } from "vitest";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { bigInt, bool, int, set } from "../../runtime/store/values.js";
import { onEither } from "../../support/database/databases.js";
import { faultyDatabase, passingCodes } from "../../support/database/faulty-database.js";
import { propertyRun } from "../../support/property/property-run.js";
import { startReceiver } from "../../support/server/webhook-receiver.js";
import { until } from "../../support/until.js";
import { makePlatform } from "./harness.js";

const databases = onEither();
let database: Database;
beforeAll(async () => {
  database = await databases.fresh();
});

it("a webhook gets every change while any statement of its delivery fails", async () => {
  const { platform, commit, create, sender } = await makePlatform(database);
  const receiver = await startReceiver();
  const { id } = await create({ webhook_url: receiver.url, retry_timeout_seconds: 10 });
  const faulty = faultyDatabase(database);
  const running = sender({}, { ...platform, database: faulty });
  await running.start();
  let blocks = 0;
  const deliver = async (): Promise<void> => {
    blocks += 1;
    const changes = ["a", "b"].map((name) =>
      set("Account", name, { balance: bigInt(BigInt(blocks)), moves: int(blocks), isOpen: bool(true) }),
    );
    await commit(blocks, changes);
    await until(() => ["a", "b"].every((name) => receiver.table().get(name)?.block_range === `[${blocks},)`));
  };
  await deliver();
  const faults = fc.record({
    step: fc.integer({ min: 1, max: 40 }),
    code: fc.constantFrom(...passingCodes),
    isLate: fc.boolean(),
  });
  const holds = fc.asyncProperty(faults, async (fault) => {
    faulty.arm(fault);
    await deliver();
  });
  await fc.assert(holds, propertyRun(15));
  faulty.arm();
  await until(async () => {
    const open = await database.query(
      SQL`select from graphloom.webhook_events where webhook = $1::text and status <> 'delivered'`,
      [id],
    );
    return open.length === 0;
  });
  await running.stop();
  await receiver.stop();
});
