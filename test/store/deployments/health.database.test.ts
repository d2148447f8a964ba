import { expect, it } from "vitest";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import {
  clearFatalError,
  type HandlerError,
  readHealth,
  recordErrors,
  recordFatalError,
} from "../../../src/store/deployments/health.js";
import { describeDatabases } from "../../support/database/databases.js";

describeDatabases("deployment health", (databases) => {
  it("stores the health of a deployment and when it failed, despite odd characters in its errors", async () => {
    const database = await databases.fresh();
    await migrate(database);
    const schema = "type T @entity { id: ID! }";
    const opened = { deployment: "QmOdd", network: "mainnet", schema, startBlock: 3 };
    const { id } = await openDeployment(database, opened);
    const odd = "a\0b\ud800";
    const kept = "a\u2400b\ufffd";
    const error: HandlerError = {
      ...{ message: odd, handler: odd, source: odd, place: odd },
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
      ...{ health: "failed", fatalError: { ...asKept, at }, nonFatalErrors: [asKept], firstErrorBlock: 7 },
      ...{ startBlock: 3, isSynced: false },
    });
    await clearFatalError(database, id);
    expect((await health())?.health).toBe("unhealthy");
  });
});
