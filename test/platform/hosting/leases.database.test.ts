import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openDatabase } from "../../../src/platform/database/open-database.js";
import { createLeases, type Leases } from "../../../src/platform/hosting/embedded/leases.js";
import { serverDatabase, world } from "../../support/databases.js";
import { postgresMissing } from "../../support/postgres-server.js";

let address: string;
beforeEach(async () => {
  address = await serverDatabase();
});

/** The leases of a server of its own. @param clock what it waits with */
async function server(lost: string[], clock: Parameters<typeof createLeases>[1] = world): Promise<Leases> {
  const database = await openDatabase(address, world);
  const leases = createLeases(database, clock, (all) => lost.push(...all), { look: 50, silence: 500 });
  onTestFinished(async () => {
    await leases.close();
    await database.close();
  });
  return leases;
}

describe.skipIf(postgresMissing !== undefined)("leases of servers that share a database", () => {
  test("are one server's, as long as it is there, and given back by it", async () => {
    const lost: string[] = [];
    const [one, other] = [await server(lost), await server(lost)];
    expect(await one.take("a")).toBe(true);
    const refused = new Set<boolean>();
    // Longer than a server may be silent.
    for (let round = 0; round < 20; round++) {
      refused.add(await other.take("a"));
      await world.sleep(50);
    }
    expect(refused).toEqual(new Set([false]));
    await one.giveBack("a");
    expect(await other.take("a")).toBe(true);
    expect(lost).toEqual([]);
  });

  test("of a server that hangs are taken over, and it hears of it when it goes on", async () => {
    const lost: string[] = [];
    const hang = new AbortController();
    // It never comes to its next look, as if it was stopped.
    const hung = await server(lost, { timeout: () => hang.signal });
    expect(await hung.take("a")).toBe(true);
    const other = await server([]);
    expect(await other.take("a")).toBe(false);
    await expect.poll(() => other.take("a")).toBe(true);
    hang.abort();
    await expect.poll(() => lost).toEqual(["a"]);
    expect(await hung.take("a")).toBe(false);
  });
});
