import { expect, it } from "vitest";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { findDeployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import {
  clearFatalError,
  type HandlerError,
  readHealth,
  recordErrors,
  recordFatalError,
} from "../../../src/store/deployments/health.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block } from "../../runtime/store/values.js";
import { describeDatabases } from "../../support/database/databases.js";
import { whileWaiting } from "../../support/database/while-waiting.js";

describeDatabases("deployment health", (databases) => {
  it("the store stores the health of a deployment and when it failed, despite odd characters in its errors", async () => {
    const database = await databases.fresh();
    await migrate(database);
    const schema = "type T @entity { id: ID! }";
    const opened = { deployment: "QmOdd", network: "mainnet", schema, startBlock: 3 };
    const { id } = await openDeployment(database, opened);
    const odd = "a\0b\ud800";
    const kept = "a\u2400b\ufffd";
    const error: HandlerError = {
      message: odd,
      handler: odd,
      source: odd,
      place: odd,
      block: { number: 7, hash: "0x07" },
      deterministic: true,
    };
    const asKept = { ...error, message: kept, handler: kept, source: kept, place: kept };
    await recordErrors(database, id, [error]);
    const before = Date.now() - 60_000;
    await recordFatalError(database, id, error);
    const health = async () => (await readHealth(database, ["QmNone", "QmOdd"])).get("QmOdd");
    const { at = 0 } = (await health())?.fatalError ?? {};
    expect(at).toBeGreaterThan(before);
    expect(await health()).toEqual({
      health: "failed",
      fatalError: { ...asKept, at },
      nonFatalErrors: [asKept],
      firstErrorBlock: 7,
      startBlock: 3,
      isSynced: false,
      namespace: expect.stringMatching(/^sgd\d+$/),
    });
    await clearFatalError(database, id);
    expect((await health())?.health).toBe("unhealthy");
  });

  it("the store keeps the blocks of a failure that follows one which others clear at the same time", async () => {
    const database = await databases.fresh();
    await migrate(database);
    const schema = "type T @entity { id: ID! }";
    const { id } = await openDeployment(database, {
      deployment: "QmTwice",
      network: "mainnet",
      schema,
      startBlock: 1,
    });
    const store = async (held: Database) => {
      const found = await findDeployment(held, "QmTwice");
      if (!found) throw new Error("the deployment is missing");
      return openStore(held, found, { entities: readEntitySchema(schema), dataSources: [], templates: [] });
    };
    const nothing = { changes: [], dataSources: [] };
    const failure = {
      handler: "h",
      source: "s",
      block: 3,
      blockHash: block(3).hash,
      isDeterministic: true,
      transactionHash: undefined,
      logIndex: undefined,
      error: new Error("no"),
    };
    const first = await store(database);
    for (const number of [1, 2]) await first.commit(block(number), nothing);
    await first.fail?.(failure, block(3));
    await whileWaiting(
      database,
      async (held) => {
        await clearFatalError(held, id);
        await (await store(held)).fail?.(failure, block(3));
      },
      () => clearFatalError(database, id),
    );
    const next = await store(database);
    expect((await next.head())?.number).toBe(2);
    await next.commit(block(3), nothing);
    expect((await readHealth(database, ["QmTwice"])).get("QmTwice")?.health).toBe("healthy");
  });
});
