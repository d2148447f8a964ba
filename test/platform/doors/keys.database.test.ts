import { zipSync } from "fflate";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimFiles, deleteOldFiles, keepFile, readFile } from "../../../src/platform/doors/door-files.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { sampleFiles } from "../../support/server/management-sample.js";
import { deployForm } from "../../support/server/platform-server.js";
import { freePorts } from "../../support/servers/java-server.js";
import { type DoorServer, startDoorServer, uploadedFiles } from "./door-server.js";

const databases = onEither();
let database: Database;
let server: DoorServer;
let mine: string;
let theirs: string;

async function start(access: "open" | "key"): Promise<void> {
  database = await databases.fresh();
  server = await startDoorServer(database, access);
  mine = await server.addKey("Editor");
  theirs = await server.addKey("Editor", "project_other");
}
afterEach(() => server.close());

const build = uploadedFiles();
const name = "org/pools";
const deployment = { deployment: build.hash };
const missing = (path: string): unknown => ({
  errors: [{ message: `deployment \`${path}\` does not exist` }],
});

/** Deploys as graph-cli does, which sends its key to the admin port only. */
async function deploy(key?: string): Promise<unknown> {
  await server.call("subgraph_create", { name }, key);
  await server.upload(build);
  return server.call("subgraph_deploy", { name, ipfs_hash: build.hash }, key);
}

describe("where keys are required", () => {
  beforeEach(() => start("key"));

  test("calls without a valid key, or with that of a Viewer, are refused as an auth failure", async () => {
    const viewer = await server.addKey("Viewer");
    for (const key of [undefined, "gl_unknown", "0123456789abcdef0123456789abcdef", viewer]) {
      for (const [method, params] of [
        ["subgraph_create", { name }],
        ["subgraph_deploy", { name, ipfs_hash: build.hash }],
        ["subgraph_remove", { name }],
        ["subgraph_pause", deployment],
        ["subgraph_resume", deployment],
        ["subgraph_reassign", { ipfs_hash: build.hash, node_id: "default" }],
      ] as const)
        expect(await server.call(method, params, key), `${method} ${key}`).toMatch(/^auth failure: /);
    }
    expect(await database.query(SQL`select name from graphloom.door_names`)).toEqual([]);
  });

  test("graph deploy works with a key, although it uploads without one", async () => {
    expect(await deploy(mine)).toHaveProperty("queries");
    expect(await server.query(`name/${name}`, mine)).toEqual({ data: {} });
    expect(await server.query(`id/${build.hash}`, mine)).toEqual({ data: {} });
    expect(await server.statuses(mine)).toEqual([build.hash]);
    for (const cid of build.files.keys())
      expect((await server.ipfs(`/api/v0/cat?arg=${cid}`, { key: mine })).status).toBe(200);
  });

  test("the IPFS port has the files of builds that were deployed in other ways, for their project only", async () => {
    const form = deployForm(zipSync(sampleFiles({ startBlock: 100 })));
    const put = { method: "PUT", form, key: mine };
    expect((await server.ask("/subgraphs/pools/deployments/1", put)).status).toBe(201);
    for (const [cid, bytes] of build.files) {
      const read = await server.ipfs(`/ipfs/${cid}`, { method: "GET", key: mine });
      expect([read.status, read.text]).toEqual([200, Buffer.from(bytes).toString()]);
      expect((await server.ipfs(`/ipfs/${cid}`, { method: "GET", key: theirs })).status).toBe(500);
    }
  });

  test.each([
    ["another project", () => theirs],
    ["nobody", () => undefined],
  ])("%s sees nothing that a project has uploaded and deployed", async (_, who) => {
    await deploy(mine);
    const other = who();
    expect(await server.query(`name/${name}`, other)).toEqual(missing(name));
    expect(await server.query(`id/${build.hash}`, other)).toEqual(missing(build.hash));
    expect(await server.statuses(other)).toEqual([]);
    for (const cid of build.files.keys()) {
      const read = await server.ipfs(`/api/v0/cat?arg=${cid}`, { key: other });
      expect([read.status, JSON.parse(read.text).Message]).toEqual(
        other === undefined
          ? [401, expect.stringMatching(/^auth failure: /)]
          : [500, expect.stringContaining("not found")],
      );
      expect((await server.ipfs(`/api/v0/pin/add?arg=${cid}`, { key: other })).status).toBe(500);
    }
  });

  test("another project can do nothing with a name and a deployment", async () => {
    await deploy(mine);
    expect(await server.call("subgraph_pause", deployment, theirs)).toBe(
      `deployment not found: ${build.hash}`,
    );
    expect(await server.call("subgraph_remove", { name }, theirs)).toBeNull();
    await server.call("subgraph_create", { name }, theirs);
    expect(await server.call("subgraph_deploy", { name, ipfs_hash: build.hash }, theirs)).toContain(
      `${build.hash} was not found`,
    );
    expect(await server.statuses(mine)).toEqual([build.hash]);
    expect(await server.query(`name/${name}`, mine)).toEqual({ data: {} });
  });

  test("projects that deploy the same build at once do not take each other's files", async () => {
    await Promise.all([server.upload(build), server.upload(uploadedFiles(200))]);
    await server.call("subgraph_create", { name }, mine);
    await server.call("subgraph_create", { name }, theirs);
    // Both have the same schema, ABI and mapping.
    const [one, two] = [build.hash, uploadedFiles(200).hash];
    expect(await server.call("subgraph_deploy", { name, ipfs_hash: one }, mine)).toHaveProperty("queries");
    expect(await server.call("subgraph_deploy", { name, ipfs_hash: two }, theirs)).toHaveProperty("queries");
  });

  test("an upload with a key is the project's from the start", async () => {
    await server.upload(build, mine);
    expect((await server.ipfs(`/api/v0/cat?arg=${build.hash}`, { key: mine })).status).toBe(200);
    expect((await server.ipfs(`/api/v0/cat?arg=${build.hash}`, { key: theirs })).status).toBe(500);
    await server.call("subgraph_create", { name }, theirs);
    expect(await server.call("subgraph_deploy", { name, ipfs_hash: build.hash }, theirs)).toContain(
      "was not found",
    );
  });
});

describe("where no key is required", () => {
  beforeEach(() => start("open"));

  test("calls act for the first project, also with a key of another server", async () => {
    expect(await deploy("0123456789abcdef0123456789abcdef")).toHaveProperty("queries");
    const rows = await database.query(SQL`select project from graphloom.versions`);
    expect(rows).toEqual([{ project: server.project }]);
    expect(await server.query(`name/${name}`)).toEqual({ data: {} });
  });

  test("a key acts for its project, and an invalid one of this server is refused", async () => {
    expect(await deploy("gl_unknown")).toMatch(/^auth failure: /);
    await deploy(theirs);
    expect(await database.query(SQL`select project from graphloom.versions`)).toEqual([
      { project: "project_other" },
    ]);
    for (const cid of build.files.keys())
      expect((await server.ipfs(`/api/v0/cat?arg=${cid}`)).status, cid).toBe(500);
  });
});

test("the status API is on the server's own port if both ports are the same, and accepts a key there, too", async () => {
  database = await databases.fresh();
  server = await startDoorServer(database, "key", (await freePorts(1))[0]);
  mine = await server.addKey("Editor");
  expect(server.doors.status).toBe(server.address);
  await deploy(mine);
  expect(await server.statuses(mine)).toEqual([build.hash]);
  expect(await server.statuses()).toEqual([]);
  expect((await fetch(`${server.address}/graphql/playground`)).headers.get("content-type")).toContain("html");
});

describe("uploads", () => {
  beforeEach(() => start("open"));
  const client = { client: "192.0.2.1" };
  const project = { project: "project_other" };
  const age = (interval: string): Promise<unknown> =>
    database.query(SQL`update graphloom.door_files set uploaded_at = now() - $1::text::interval`, [interval]);
  const file = (cid: string, size = 1) => ({ cid, bytes: new Uint8Array(size) });
  const has = async (owner: typeof client | typeof project, cid: string): Promise<boolean> =>
    (await readFile(database, [owner], cid)) !== undefined;

  test("are deleted by age, except for those of a deployment that a version shows", async () => {
    await deploy();
    await keepFile(database, client, file("QmA"));
    await keepFile(database, project, file("QmB"));
    await age("3 hours");
    await deleteOldFiles(database, { project: 24, client: 1 });
    expect([await has(client, "QmA"), await has(project, "QmB")]).toEqual([false, true]);
    await age("25 hours");
    await deleteOldFiles(database, { project: 24, client: 1 });
    expect(await has(project, "QmB")).toBe(false);
    for (const cid of build.files.keys())
      expect((await server.ipfs(`/api/v0/cat?arg=${cid}`)).status).toBe(200);
    await server.call("subgraph_remove", { name });
    await deleteOldFiles(database, { project: 24, client: 1 });
    expect((await server.ipfs(`/api/v0/cat?arg=${build.hash}`)).status).toBe(500);
  });

  test("of a project have a limit, for which older ones make room, but not those of the last minutes", async () => {
    const limits = { project: 10, client: 6, allClients: 8, files: 3 };
    const keep = (owner: typeof client | typeof project, cid: string, size: number): Promise<void> =>
      keepFile(database, owner, file(cid, size), limits);
    const refused = "Too many files are uploaded that no deployment uses";
    await keep(project, "Qm1", 5);
    await keep(project, "Qm2", 5);
    await expect(keep(project, "QmC", 1)).rejects.toThrow(refused);
    // Clients without a key have less, each and together, and no part of a project's.
    await keep(client, "Qm1", 6);
    await expect(keep(client, "Qm2", 1)).rejects.toThrow(refused);
    await expect(keep({ client: "192.0.2.2" }, "Qm1", 3)).rejects.toThrow(refused);
    for (const cid of ["Qm1", "Qm2", "Qm3"]) await keep({ project: server.project }, cid, 1);
    await expect(keep({ project: server.project }, "Qm4", 1)).rejects.toThrow(refused);
    await age("11 minutes");
    await keep(project, "QmC", 10);
    expect([await has(project, "Qm1"), await has(project, "QmC")]).toEqual([false, true]);
  });

  test("that a project has deployed cannot be claimed by another, and are readable again after another upload", async () => {
    await keepFile(database, client, file("QmA"));
    await claimFiles(database, server.project, { deployment: "QmA", cids: ["QmA"], client });
    expect([await has(client, "QmA"), await has(project, "QmA")]).toEqual([false, false]);
    await keepFile(database, client, file("QmA"));
    expect(await has(client, "QmA")).toBe(true);
  });

  test("of more than 25 MiB are refused", async () => {
    const added = await server.ipfs("/api/v0/add", { files: [["a", new Uint8Array(25 * 2 ** 20 + 1)]] });
    expect([added.status, JSON.parse(added.text).Message]).toEqual([
      413,
      "A file can have at most 26,214,400 bytes",
    ]);
  });
});
