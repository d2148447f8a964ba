import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { type StartedServer, startServer } from "../../src/platform/start-server.js";
import type { Database } from "../../src/store/database/database.js";
import { openOwnDatabase } from "../../src/store/open.js";
import { graphloom, workplace } from "../cli/harness.js";
import { rowsOf } from "../dumps/dump-tests.js";
import { tokens } from "../hosting/hosted.js";
import { moving } from "../runtime/token-subgraph.js";
import { Anvil } from "../support/chain/anvil.js";
import { images } from "../support/compiler/shared-cache.js";
import { onPglite, world } from "../support/database/databases.js";
import { deployForm, keptOpen } from "../support/server/platform-server.js";
import { untilHolds } from "../support/until.js";

const pglite = onPglite();

it.each([
  "into its database",
  "over HTTP, while it runs",
])("a server continues with what another one has indexed, restored %s", async (how) => {
  const anvil = await Anvil.start();
  onTestFinished(() => anvil.stop());
  const { token, bundle } = await tokens(anvil);
  const { deployment } = bundle;
  for (const amount of [5, 6, 7]) await anvil.transact(moving(anvil, token, 1, amount));
  const start = async (database: Database): Promise<StartedServer> => {
    const server = await startServer({
      database: keptOpen(database),
      world,
      secretKey: new Uint8Array(32).fill(7),
      host: "127.0.0.1",
      port: 0,
      version: "0.0.0-test",
      nodes: new Map([["mainnet", [anvil.url]]]),
      engines: { database: "memory", verify: "bloom" },
      restores: true,
    });
    onTestFinished(() => server.close());
    return server;
  };
  const indexing = async ({ address, newKey, platform }: StartedServer): Promise<void> => {
    const headers = { authorization: `Bearer ${newKey}` };
    const put = { method: "PUT", headers, body: deployForm(bundle.zip) };
    await fetch(`${address}/api/v1/subgraphs/moves/deployments/1.0.0`, put);
    const engine = platform.hosting.engine("embedded");
    const head = await anvil.blockNumber();
    await untilHolds(async () =>
      expect((await engine.status([deployment])).get(deployment)?.headBlock).toBe(head),
    );
  };
  const cwd = workplace();
  const ask = async (line: string, { address, newKey = "" }: StartedServer) => {
    const env = { GRAPHLOOM_API_URL: `${address}/api/v1`, GRAPHLOOM_TOKEN: newKey };
    const { code, out, err } = await graphloom(cwd, `${line} --output json`, { env });
    expect([code, err]).toEqual([0, ""]);
    return JSON.parse(out);
  };
  const dump = (server: StartedServer): Promise<{ readonly head: number }> =>
    ask("dump moves/1.0.0 moves.dump", server);
  const one = await pglite.fresh();
  const other = await openOwnDatabase(undefined, world, images);
  onTestFinished(() => other.close());
  const from = await start(one);
  await indexing(from);
  const first = await dump(from);
  await anvil.transact(moving(anvil, token, 1, 8));
  await indexing(from);
  expect((await dump(from)).head).toBe(first.head + 1);
  const rows = await rowsOf(one, deployment);
  expect(rows.get("Moved")).toHaveLength(4);
  await from.close();

  const isOverHttp = how !== "into its database";
  if (!isOverHttp) await restoreDump(other, openDumpFiles(join(cwd, "moves.dump")), { replace: false });
  const to = await start(other);
  if (isOverHttp) await ask("restore moves.dump", to);
  expect(await rowsOf(other, deployment)).toEqual(rows);
  await indexing(to);
  expect(await rowsOf(other, deployment)).toEqual(rows);
  await anvil.transact(moving(anvil, token, 1, 9));
  await indexing(to);
  expect((await rowsOf(other, deployment)).get("Moved")).toHaveLength(5);
  expect((await dump(to)).head).toBe(first.head + 2);
});
