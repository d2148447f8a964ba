import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { type DumpLimits, usualDumpLimits } from "../../src/platform/dumps/dump-limits.js";
import { dumpsPart } from "../../src/platform/management/dumps-part.js";
import { addVersion } from "../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { graphloom, type Ran, workplace } from "../cli/harness.js";
import { deployment, indexed, rowsOf } from "../dumps/dump-tests.js";
import { onEither, onPglite } from "../support/database/databases.js";
import { hostedStorage } from "../support/server/hosted-double.js";
import { startPlatform, type TestPlatform } from "../support/server/platform-server.js";
import { untilHolds } from "../support/until.js";

const either = onEither();
const pglite = onPglite();
const running: TestPlatform[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

/** One batch of rows in each answer. */
const manyAnswers: Partial<DumpLimits> = {
  slice: {
    postgres: { characters: 1, time: 0, fileCharacters: 1 },
    pglite: { characters: 1, time: 0, fileCharacters: 1 },
  },
};

async function serving(database: Database, limits: Partial<DumpLimits> = {}): Promise<TestPlatform> {
  const server = await startPlatform(database, { parts: [dumpsPart(limits)] });
  running.push(server);
  return server;
}

/** Lets a project show the deployment of the tests as `own/1`, with what was indexed for it. */
async function show(server: TestPlatform, database: Database, project = server.project): Promise<void> {
  const found = await findDeployment(database, deployment);
  if (!found) throw new Error("nothing was indexed");
  server.hosting.double.storages.set(deployment, hostedStorage(database, found));
  const version = { project, name: "own", version: "1", deployment, description: null };
  await addVersion(database, { ...version, bundle: new Uint8Array(), network: "mainnet", engine: "double" });
}

function dumping(
  server: TestPlatform,
  cwd: string,
  more: { readonly key?: string; readonly signal?: AbortSignal; readonly line?: string } = {},
): Promise<Ran> {
  const env = { HOME: cwd, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: more.key ?? server.token };
  return graphloom(cwd, more.line ?? "dump own/1 folder", {
    env,
    ...(more.signal && { signal: more.signal }),
  });
}

const actsOf = async (database: Database): Promise<unknown> =>
  database.query(SQL`select action, subject, project from graphloom.audit where action like '%dump'`);

describe("dumps of a server", () => {
  it("moves a subgraph from one server to another, row by row", async () => {
    const [one, other] = [await either.fresh(), await pglite.fresh()];
    await indexed(one, 2, 3, 4);
    const cwd = workplace();
    const from = await serving(one);
    await show(from, one);
    const dumped = await dumping(from, cwd);
    expect(dumped).toMatchObject({ code: 0, err: "" });
    expect(dumped.out).toMatch(/Token: 6 rows\n/);
    expect(dumped.out).toMatch(/Dumped to folder: all up to block 4\.\n$/);
    expect(await actsOf(one)).toEqual([{ action: "subgraph.dump", subject: "own/1", project: from.project }]);

    const to = await serving(other);
    await restoreDump(other, openDumpFiles(join(cwd, "folder")), { replace: false });
    await show(to, other);
    if (one.provider !== other.provider) {
      expect(await rowsOf(other, deployment)).toEqual(await rowsOf(one, deployment));
    }
    await indexed(other, 5);
    const more = await dumping(to, cwd, { line: "dump own/1 folder --output json" });
    expect(more.code).toBe(0);
    expect(JSON.parse(more.out)).toMatchObject({ deployment, head: 5, previous: 4 });
    const rows = await rowsOf(other, deployment);
    await restoreDump(other, openDumpFiles(join(cwd, "folder")), { replace: true });
    expect(await rowsOf(other, deployment)).toEqual(rows);
  });

  it("a command that was interrupted continues, and the audit log has one entry for all its requests", async () => {
    const database = await either.fresh();
    await indexed(database, 2, 3, 4);
    const server = await serving(database, manyAnswers);
    await show(server, database);
    const cwd = workplace();
    const stop = new AbortController();
    const interrupted = dumping(server, cwd, { signal: stop.signal });
    await untilHolds(() => expect(existsSync(join(cwd, "folder", ".graphloom-dump.json"))).toBe(true));
    stop.abort();
    // It may have been faster.
    expect([0, 130]).toContain((await interrupted).code);
    await indexed(database, 5);
    expect(await dumping(server, cwd)).toMatchObject({ code: 0 });
    expect(await actsOf(database)).toHaveLength(1);
    const rows = await rowsOf(database, deployment);
    await restoreDump(database, openDumpFiles(join(cwd, "folder")), { replace: true });
    expect(await rowsOf(database, deployment)).toEqual(rows);
    await show(server, database);
    const again = await dumping(server, cwd);
    expect(again).toMatchObject({ code: 1, out: "" });
    expect(again.err).toContain("the folder already has all blocks, up to 5\n");
  });

  it("a client that loses the server continues by itself", async () => {
    const database = await either.fresh();
    await indexed(database, 2, 3, 4);
    const server = await serving(database, manyAnswers);
    await show(server, database);
    const storages = server.hosting.double.storages;
    const storage = storages.get(deployment);
    let failures = 2;
    if (storage)
      storages.set(deployment, {
        ...storage,
        database: {
          ...database,
          transaction: (work, options) =>
            database.transaction(async (sql) => {
              const result = await work(sql);
              failures -= 1;
              if (failures >= 0) throw new Error("the connection is lost");
              return result;
            }, options),
        },
      });
    const ran = await dumping(server, workplace());
    expect([ran.code, ran.err]).toEqual([0, expect.anything()]);
    expect(ran.err).toMatch(/^continuing in \d+\.\d s: /);
  });

  it("is for readers of the project, and others cannot tell whether it has the subgraph", async () => {
    const database = await either.fresh();
    await indexed(database, 2);
    const server = await serving(database);
    await show(server, database);
    const reader = await server.addKey("Viewer");
    expect(await dumping(server, workplace(), { key: reader })).toMatchObject({ code: 0 });
    const stranger = await server.addKey("Owner", "strangers");
    const asked = (name: string) =>
      server.ask(`/subgraphs/${name}/1/dump`, { method: "POST", key: stranger, body: { tables: [] } });
    const [ours, nobodys] = [await asked("own"), await asked("none")];
    expect(ours.status).toBe(404);
    expect(ours.text.replaceAll("own", "none")).toBe(nobodys.text);
    // With the same content, each project has its own version.
    await show(server, database, "strangers");
    expect(await dumping(server, workplace(), { key: stranger })).toMatchObject({ code: 0 });
    expect(await actsOf(database)).toEqual([
      { action: "subgraph.dump", subject: "own/1", project: server.project },
      { action: "subgraph.dump", subject: "own/1", project: "strangers" },
    ]);
  });

  it("refuses what it cannot send, and says what to do", async () => {
    const database = await either.fresh();
    await indexed(database, 2);
    const server = await serving(database, { ...usualDumpLimits, perCaller: 0 });
    await show(server, database);
    const { storages } = server.hosting.double;
    const storage = storages.get(deployment);
    const ask = () => server.ask("/subgraphs/own/1/dump", { method: "POST", body: { tables: [] } });
    const busy = await ask();
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([429, "10"]);
    if (storage) storages.set(deployment, { ...storage, isForeign: true });
    expect((await ask()).json.detail).toContain("--graph-node --database");
    storages.delete(deployment);
    expect((await ask()).json.detail).toContain("has not indexed a block yet");
    const wrong = await server.ask("/subgraphs/own/1/dump", { method: "POST", body: {} });
    expect([wrong.status, wrong.json.errors[0].field]).toEqual([400, "tables"]);
    const unknown = await dumping(server, workplace(), { line: "dump own folder" });
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain("Specify a version: own/<version>");
  });
});
