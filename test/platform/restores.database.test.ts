import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { parquetMedia } from "../../src/api/extension.js";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { dumpFile } from "../../src/dumps/write-dump-file.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { restoresPart } from "../../src/platform/management/restores-part.js";
import { type Database, DatabaseError, SQL } from "../../src/store/database/database.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { graphloom, type Ran, workplace } from "../cli/harness.js";
import { deployment, differing, dumpNamed, indexed, kinds, rowsOf } from "../dumps/dump-tests.js";
import { onEither, onPglite } from "../support/database/databases.js";
import { startPlatform, type TestPlatform } from "../support/server/platform-server.js";

const either = onEither();
const pglite = onPglite();
const running: TestPlatform[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.close();
});

async function serving(database: Database, isOn = true): Promise<TestPlatform> {
  const server = await startPlatform(database, { parts: [restoresPart({ isOn })] });
  running.push(server);
  // As an engine that indexes by itself.
  Object.assign(server.hosting.double, { nodes: async () => [] });
  return server;
}

function restoring(
  server: TestPlatform,
  cwd: string,
  more: { readonly key?: string; readonly line?: string; readonly signal?: AbortSignal } = {},
): Promise<Ran> {
  const env = { HOME: cwd, GRAPHLOOM_API_URL: server.url, GRAPHLOOM_TOKEN: more.key ?? server.token };
  return graphloom(cwd, more.line ?? "restore folder", { env, ...(more.signal && { signal: more.signal }) });
}

/** What a dump says of the deployment beside its rows. */
async function factsOf(database: Database): Promise<unknown> {
  const found = await findDeployment(database, deployment);
  const { network, schema, startBlock, earliestBlock, proofVariant } = { ...found };
  return { network, schema, startBlock, earliestBlock, proofVariant, head: found?.head?.hash };
}

/** A folder with a dump, whose second part ends versions of the first; its rows, and what is known beside them. */
async function dumped(database: Database, hasClamps = true) {
  const cwd = workplace();
  const files = openDumpFiles(join(cwd, "folder"));
  await indexed(database, 2, 3, 4);
  await writeDump(database, files, deployment);
  if (hasClamps) {
    await indexed(database, 5, 6);
    await writeDump(database, files, deployment);
  }
  return { cwd, rows: await rowsOf(database, deployment), facts: await factsOf(database) };
}

const actsOf = (database: Database): Promise<unknown> =>
  database.query(
    SQL`select action, subject, project from graphloom.audit where action like 'restore%' order by id`,
  );
const tablesOf = async (database: Database): Promise<readonly string[]> =>
  (
    await database.query(
      SQL`select table_name as name from information_schema.tables where table_name like 'clamps%'`,
    )
  ).map(({ name }) => name ?? "");

/** Sends a piece of the table Token. */
async function sending(
  server: TestPlatform,
  body: Uint8Array,
  more: { readonly query?: string; readonly media?: string } = {},
): Promise<{ readonly status: number; readonly detail: string }> {
  const query = more.query ?? "table=Token&form=chunk&first=0&rows=3&min_vid=1&max_vid=3";
  const answer = await fetch(`${server.url}/restores/${deployment}/rows?${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": more.media ?? parquetMedia },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, detail: text === "" ? "" : JSON.parse(text).detail };
}

describe("a restore over a server", () => {
  it("gives the same rows, ended versions and facts, and can be indexed further", async () => {
    const one = await pglite.fresh();
    const { cwd, rows, facts } = await dumped(one);
    const other = await either.fresh();
    const server = await serving(other);
    const ran = await restoring(server, cwd);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toMatch(/Token: \d+ rows\n/);
    expect(ran.out).toMatch(/up to block 6\.\nDeploy its build next, under a name: /);
    expect(await rowsOf(other, deployment)).toEqual(rows);
    expect(await factsOf(other)).toEqual(facts);
    expect(await tablesOf(other)).toEqual([]);
    const { project } = server;
    expect(await actsOf(other)).toEqual([
      { action: "restore.begin", subject: deployment, project },
      { action: "restore.complete", subject: deployment, project },
    ]);
    const again = await restoring(server, cwd);
    expect(again).toMatchObject({ code: 3, out: "" });
    expect(again.err).toContain(`${deployment} is already on this server`);
    await indexed(other, 7);
    // With one kind of database, the tests have one.
    if (one.provider === other.provider) return;
    await indexed(one, 7);
    expect(await rowsOf(other, deployment)).toEqual(await rowsOf(one, deployment));
  });

  it("takes a dump that graphman wrote", async () => {
    const database = await either.fresh();
    const server = await serving(database);
    const folder = dumpNamed("kinds");
    const ran = await restoring(server, join(folder, ".."), { line: "restore dump --output json" });
    expect([ran.code, ran.err]).toEqual([0, ""]);
    expect(JSON.parse(ran.out)).toMatchObject({ deployment: kinds, isContinued: false });
    expect(await differing(database, "kinds")).toEqual([]);
  });

  it("continues after each failure of the database, and after an interruption", async () => {
    const { cwd, rows } = await dumped(await pglite.fresh());
    const other = await either.fresh();
    let failures = 3;
    const transaction: Database["transaction"] = (work, options) =>
      other.transaction(async (sql) => {
        const result = await work(sql);
        const [row] = await sql.query(SQL`select count(*) as n from graphloom.restores`);
        if (Number(row?.n) > 0 && failures > 0) {
          failures -= 1;
          throw new DatabaseError("the connection is lost");
        }
        return result;
      }, options);
    const failing = new Proxy(other, {
      get: (target, name: keyof Database) => {
        const own = name === "transaction" ? transaction : target[name];
        return typeof own === "function" ? own.bind(target) : own;
      },
    });
    const server = await serving(failing);
    const ran = await restoring(server, cwd);
    expect([ran.code, failures]).toEqual([0, 0]);
    expect(ran.err).toMatch(/^(?:continuing in \d+\.\d s: .+\n){3}$/);
    expect(await rowsOf(other, deployment)).toEqual(rows);
  });

  it("is for Owners, if the operator allows it, and of one project at a time", async () => {
    const { cwd } = await dumped(await pglite.fresh());
    const off = await serving(await pglite.fresh(), false);
    const refused = await restoring(off, cwd);
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining("graphloom serve --restores")]);

    const database = await either.fresh();
    const server = await serving(database);
    const admin = await server.addKey("Admin");
    expect((await restoring(server, cwd, { key: admin })).err).toContain("Owner");
    const { text, schema } = await judgeDump(openDumpFiles(join(cwd, "folder")));
    const begun = await server.ask("/restores", { method: "POST", body: { metadata: text, schema } });
    expect(begun.json.data).toMatchObject({ deployment, continued: false });
    const stranger = await server.addKey("Owner", "strangers");
    const theirs = await restoring(server, cwd, { key: stranger });
    expect([theirs.code, theirs.err]).toEqual([3, expect.stringContaining("is being restored already")]);
    const path = `/restores/${deployment}/complete`;
    expect((await server.ask(path, { method: "POST", key: stranger })).status).toBe(404);
    const early = await server.ask(path, { method: "POST" });
    expect([early.status, early.json.detail]).toEqual([422, expect.stringContaining("rows in the database")]);
    await indexed(database, 2);
    const late = await server.ask(path, { method: "POST" });
    expect([late.status, late.json.detail]).toEqual([
      422,
      expect.stringContaining("was deployed and indexed"),
    ]);
    await dropDeployment(database, deployment);
    expect(await restoring(server, cwd)).toMatchObject({ code: 0 });
    expect((await server.ask(path, { method: "POST" })).json.data).toEqual({ state: "done" });
  });

  it("refuses names and options that only a database has, and a folder that is not a dump", async () => {
    const server = await serving(await pglite.fresh());
    const cwd = workplace({ "empty/a.txt": "" });
    const named = await restoring(server, cwd, { line: "restore empty --name pools" });
    expect([named.code, named.err]).toEqual([2, expect.stringContaining("--name and --replace are for a")]);
    const none = await restoring(server, cwd, { line: "restore empty" });
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("the folder has no metadata.json")]);
  });

  it("refuses rows before the ends of their versions", async () => {
    const { cwd } = await dumped(await pglite.fresh());
    const server = await serving(await either.fresh());
    const { text, schema } = await judgeDump(openDumpFiles(join(cwd, "folder")));
    await server.ask("/restores", { method: "POST", body: { metadata: text, schema } });
    const early = await sending(server, Buffer.from("no Parquet file"));
    expect(early).toEqual({ status: 422, detail: "the clamps of Token come before its rows." });
  });

  it("judges each piece before it is stored", async () => {
    const { cwd, rows } = await dumped(await pglite.fresh(), false);
    const other = await either.fresh();
    const server = await serving(other);
    const files = openDumpFiles(join(cwd, "folder"));
    const { text, schema, tables } = await judgeDump(files);
    const offer = { method: "POST", body: { metadata: text, schema } } as const;
    const garbled = await server.ask("/restores", { method: "POST", body: { metadata: "{", schema } });
    expect([garbled.status, garbled.json.detail]).toEqual([422, "metadata.json is not JSON."]);
    expect((await sending(server, Buffer.from("PAR1"))).status).toBe(404);
    const begun = await server.ask("/restores", offer);
    expect([begun.status, begun.text]).toEqual([200, begun.text]);
    expect(await sending(server, Buffer.from("no Parquet file"))).toMatchObject({
      status: 422,
      detail: expect.stringMatching(/^Token from vid 1: /),
    });
    const columns = tables.find(({ type }) => type === "Token")?.columns ?? [];
    const rowsWith = async (count: number, value: string): Promise<Uint8Array> => {
      const cellOf = (name: string, type: string, at: number): string | null => {
        if (name === "vid") return String(at + 1);
        if (name.endsWith("_end")) return null;
        if (name.startsWith("block")) return "2";
        if (name === "id") return `id-${at}`;
        return type === "string" ? value : "1";
      };
      const batch = columns.map(({ name, type }) =>
        Array.from({ length: count }, (_, at) => cellOf(name, type, at)),
      );
      const pieces: Uint8Array[] = [];
      for await (const piece of dumpFile(columns, [batch] as unknown as AsyncIterable<typeof batch>))
        pieces.push(piece);
      return Buffer.concat(pieces);
    };
    const three = await rowsWith(3, "x");
    const refused = async (bytes: Uint8Array, query: string) => {
      const { status, detail } = await sending(server, bytes, { query });
      return [status, detail];
    };
    const own = "table=Token&form=chunk&first=0";
    expect(await refused(three, `${own}&rows=4&min_vid=1&max_vid=3`)).toEqual([
      422,
      expect.stringContaining("it has 3 rows"),
    ]);
    expect(await refused(three, `${own}&rows=3&min_vid=2&max_vid=3`)).toEqual([
      422,
      expect.stringContaining("vid 1 follows 1"),
    ]);
    expect(await refused(three, `${own}&rows=3&min_vid=1&max_vid=9223372036854775807`)).toEqual([
      422,
      expect.stringContaining("Token ends with vid"),
    ]);
    expect(await refused(three, "table=Nothing&form=chunk&first=0&rows=3&min_vid=1&max_vid=3")).toEqual([
      422,
      "the dump has no table Nothing.",
    ]);
    // A few kilobytes that stand for hundreds of megabytes.
    const bomb = await rowsWith(6_000, "x".repeat(20_000));
    expect(bomb.length).toBeLessThan(10_000_000);
    expect(await refused(bomb, `${own}&rows=6000&min_vid=1&max_vid=6`)).toEqual([
      422,
      expect.stringMatching(/unpacks to more than|are allowed/),
    ]);
    expect((await sending(server, three, { media: "text/plain" })).status).toBe(415);
    expect(await sending(server, Buffer.alloc(33 * 1024 * 1024))).toMatchObject({ status: 413 });
    expect(await restoring(server, cwd)).toMatchObject({ code: 0 });
    expect(await rowsOf(other, deployment)).toEqual(rows);
  });
});
