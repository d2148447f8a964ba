import { beforeAll, describe, expect, it } from "vitest";
import { SQL } from "../../src/store/database/database.js";
import { openDatabase } from "../../src/store/open.js";
import { moving } from "../runtime/token-subgraph.js";
import { useAnvil } from "../support/chain/anvil.js";
import { serverDatabase, world } from "../support/database/databases.js";
import { postgresMissing } from "../support/database/postgres-server.js";
import { amounts, type Host, host, indexed, tokens, until } from "./hosted.js";

const anvil = useAnvil();
// The compiler starts slowly.
beforeAll(() => tokens(anvil()), 180_000);

/** Several servers on one new database. */
async function servers(): Promise<() => Promise<Host>> {
  const address = await serverDatabase();
  return async () => host({ database: await openDatabase(address, world), address, nodes: [anvil().url] });
}

describe.skipIf(postgresMissing !== undefined)("servers that share a database", () => {
  it("servers index a build once, and one continues where another ended", async () => {
    const { token, bundle } = await tokens(anvil());
    const start = await servers();
    const [first, second] = [await start(), await start()];
    await first.deploy(bundle);
    await second.hosting.reconcile();
    await indexed(first, bundle);
    await anvil().transact(moving(anvil(), token, 1, 5));
    await until("the other one answers", amounts(second, bundle), (found) => found.join() === "5");
    expect((await second.status(bundle.deployment))?.health).toBe("healthy");
    const starts = async (): Promise<number> =>
      (await second.log(bundle.deployment)).filter((line) => /^(Indexing|Going on)/.test(line)).length;
    await until("the start is in the log", starts, (count) => count > 0);
    expect(await starts()).toBe(1);
    await first.hosting.close();
    await first.database.close();
    await anvil().transact(moving(anvil(), token, 1, 6));
    await until("the other one goes on", amounts(second, bundle), (found) => found.length === 2);
    await second.hosting.close();
    await second.database.close();
  });

  it("servers continue after they lose their connections", async () => {
    const { token, bundle } = await tokens(anvil());
    const start = await servers();
    const only = await start();
    await only.deploy(bundle);
    await indexed(only, bundle);
    await only.database.query(
      // The connections are closed once this is answered.
      SQL`select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await anvil().transact(moving(anvil(), token, 1, 5));
    await until("it has gone on", amounts(only, bundle), (found) => found.join() === "5");
    // The status reports the end of waiting a moment after the block can be queried.
    await expect.poll(async () => (await only.status(bundle.deployment))?.health).toBe("healthy");
    await only.hosting.close();
    await only.database.close();
  });
});
