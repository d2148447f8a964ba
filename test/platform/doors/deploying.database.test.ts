import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { deleteOldFiles } from "../../../src/platform/doors/door-files.js";
import { addPipeline, setPipelineSubgraphs } from "../../../src/platform/pipelines/pipeline-rows.js";
import { setTag } from "../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { CompositionError } from "../../../src/subgraph/runnable/composition-error.js";
import { cidV0 } from "../../../src/web/ipfs/cid.js";
import { onEither } from "../../support/database/databases.js";
import { sampleFiles } from "../../support/server/management-sample.js";
import { type DoorServer, startDoorServer, type UploadedFiles, uploadedFiles } from "./door-server.js";

const databases = onEither();
let database: Database;
let server: DoorServer;
beforeEach(async () => {
  database = await databases.fresh();
  server = await startDoorServer(database);
});
afterEach(() => server.close());

const create = (name: string): Promise<unknown> => server.call("subgraph_create", { name });
const remove = (name: string): Promise<unknown> => server.call("subgraph_remove", { name });
const deploy = async (name: string, build: UploadedFiles, label?: string): Promise<unknown> => {
  const ipfs_hash = await server.upload(build);
  return server.call("subgraph_deploy", { name, ipfs_hash, ...(label && { version_label: label }) });
};
/** All versions, oldest first: `pools/v1 Qm… paused`. */
const versions = async (): Promise<readonly string[]> => {
  const rows = await database.query(
    SQL`select name || '/' || version || ' ' || deployment || case when is_paused then ' paused' else '' end as shown
      from graphloom.versions order by created_at`,
  );
  return rows.map(({ shown }) => String(shown));
};
const first = uploadedFiles(100);
const second = uploadedFiles(200);
const third = uploadedFiles(300);
const addresses = (path: string): object => {
  const port = new URL(server.doors.queries).port;
  return { playground: `:${port}/subgraphs/${path}/graphql`, queries: `:${port}/subgraphs/${path}` };
};

describe("a deployment", () => {
  test("creates a version of the subgraph with that name, and answers by name and by hash", async () => {
    await create("org/pools");
    expect(await deploy("org/pools", first, "v0.0.1")).toEqual(addresses("name/org/pools"));
    expect(await versions()).toEqual([`org-pools/v0.0.1 ${first.hash}`]);
    expect(server.hosting.double.calls).toEqual([`check ${first.hash}`, `start ${first.hash}`]);
    expect(await server.query("name/org/pools")).toEqual({ data: {} });
    expect(await server.query(`id/${first.hash}`)).toEqual({ data: {} });
    expect(await server.statuses()).toEqual([first.hash]);
  });

  test("changes nothing if its build is the newest version's", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    expect(await deploy("pools", first, "v2")).toEqual(addresses("name/pools"));
    expect(await versions()).toEqual([`pools/v1 ${first.hash}`]);
  });

  test("with a different build creates another version, also under a label that is taken, and pauses versions that no longer answer", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    await synced(first);
    await deploy("pools", second, "v1");
    // The first one answers until another one is synced.
    expect(await versions()).toEqual([`pools/v1 ${first.hash}`, `pools/v1-2 ${second.hash}`]);
    await deploy("pools", third);
    expect(await versions()).toEqual([
      `pools/v1 ${first.hash}`,
      `pools/v1-2 ${second.hash} paused`,
      `pools/1 ${third.hash}`,
    ]);
  });

  test("with an earlier build makes that version the newest again, and resumes it", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    await deploy("pools", second, "v2");
    await deploy("pools", third, "v3");
    expect(await versions()).toContain(`pools/v1 ${first.hash} paused`);
    await deploy("pools", first, "v4");
    expect((await versions()).at(-1)).toBe(`pools/v4 ${first.hash}`);
    expect(server.hosting.double.calls.filter((call) => call.endsWith(first.hash))).toEqual([
      ...["check", "start", "pause", "check", "start"].map((what) => `${what} ${first.hash}`),
    ]);
  });

  test("does not pause a version that something refers to, or that was deployed in another way", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    await setTag(database, { project: server.project, name: "pools", version: "live" }, "v1");
    await deploy("pools", second, "v2");
    await deploy("pools", third, "v3");
    expect(await versions()).toContain(`pools/v1 ${first.hash}`);
  });

  test("needs a name that was created, or a subgraph of that name", async () => {
    expect(await deploy("org/pools", first)).toBe("subgraph name not found: org/pools");
    expect(await versions()).toEqual([]);
  });

  test("gets its own subgraph if its name could be another one's", async () => {
    for (const name of ["a/b", "a-b", "1inch/pools"]) await create(name);
    await deploy("a-b", first, "v1");
    await deploy("a/b", second, "v1");
    await deploy("1inch/pools", third, "v1");
    expect(await versions()).toEqual([
      `a-b-2/v1 ${first.hash}`,
      `a-b/v1 ${second.hash}`,
      `subgraph-1inch-pools/v1 ${third.hash}`,
    ]);
    expect(await server.query("name/a-b")).toEqual({ data: {} });
    await remove("a/b");
    expect(await versions()).toHaveLength(2);
  });

  test("keeps its manifest and its files readable, and the hash that another program has given it", async () => {
    const files = [...uploadedFiles().files];
    const linked = new TextDecoder().decode(files.at(-1)?.[1]);
    // As gnd writes it: in another order, with comments, strings unquoted.
    const manifest = new TextEncoder().encode(`# from elsewhere\n${linked.replaceAll("'", '"')}\n`);
    const hash = cidV0(manifest);
    const build = { hash, files: new Map([...files.slice(0, -1), [hash, manifest] as const]) };
    await create("pools");
    await deploy("pools", build, "v1");
    expect(await versions()).toEqual([`pools/v1 ${hash}`]);
    await database.run(SQL`update graphloom.door_files set uploaded_at = now() - interval '1 year'`);
    await deleteOldFiles(database, { project: 24, client: 24 });
    for (const [cid, bytes] of build.files) {
      const read = await server.ipfs(`/api/v0/cat?arg=${cid}`);
      expect(read).toEqual({ status: 200, text: new TextDecoder().decode(bytes) });
    }
  });

  test.each<[string, UploadedFiles | (() => UploadedFiles), string]>([
    [
      "whose network is not indexed",
      uploadedFiles(1, "goerli"),
      "network not supported by registrar: no network goerli found on chain ethereum",
    ],
    ["without a file", withoutWasm, "subgraph resolve error: resolve error: Qm"],
    [
      "whose manifest is empty",
      () => onlyManifest(" "),
      "subgraph resolve error: resolve error: invalid manifest",
    ],
    ["whose manifest is no YAML", () => onlyManifest("a: [b"), "subgraph resolve error: resolve error: "],
    ["whose manifest expands too far", () => onlyManifest(bomb), "subgraph resolve error: resolve error: "],
  ])("%s is refused", async (_, build, message) => {
    await create("pools");
    const got = await deploy("pools", typeof build === "function" ? build() : build, "v1");
    expect(String(got).startsWith(message), String(got)).toBe(true);
    expect(await versions()).toEqual([]);
  });

  test("is refused with the engine's reason", async () => {
    await create("pools");
    server.hosting.double.refuses = new Error("the moon is wrong");
    expect(await deploy("pools", first)).toBe("subgraph validation error: [the moon is wrong]");
    server.hosting.double.refuses = new CompositionError("failed to resolve data source at index 0: Why");
    expect(await deploy("pools", first)).toBe(
      "subgraph resolve error: resolve error: failed to resolve data source at index 0: Why",
    );
  });

  test("with a debug fork is refused, because it would not be indexed as requested", async () => {
    await create("pools");
    await server.upload(first);
    const params = { name: "pools", ipfs_hash: first.hash, debug_fork: second.hash };
    expect(await server.call("subgraph_deploy", params)).toContain("no debug forks");
  });

  test("whose name belongs to another project is answered with its address by hash", async () => {
    const other = await server.addKey("Owner", "project_other");
    const { call } = server;
    await create("pools");
    await deploy("pools", first);
    await call("subgraph_create", { name: "pools" }, other);
    await server.upload(second);
    expect(await call("subgraph_deploy", { name: "pools", ipfs_hash: second.hash }, other)).toEqual(
      addresses(`id/${second.hash}`),
    );
  });
});

describe("other calls", () => {
  test("pause and resume all versions with a deployment", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    const params = { deployment: first.hash };
    expect(await server.call("subgraph_pause", params)).toBeNull();
    expect(await server.call("subgraph_pause", params)).toBeNull();
    expect(await versions()).toEqual([`pools/v1 ${first.hash} paused`]);
    expect(await server.call("subgraph_resume", params)).toBeNull();
    expect(await versions()).toEqual([`pools/v1 ${first.hash}`]);
  });

  test("reassigning to a node that does not exist stops indexing", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    const reassign = (node_id: string) =>
      server.call("subgraph_reassign", { ipfs_hash: first.hash, node_id });
    expect(await reassign("default")).toBeNull();
    expect(await versions()).toEqual([`pools/v1 ${first.hash}`]);
    expect(await reassign("removed")).toBeNull();
    expect(await versions()).toEqual([`pools/v1 ${first.hash} paused`]);
  });

  test("removing deletes all versions and tags, and the name", async () => {
    await create("org/pools");
    await deploy("org/pools", first, "v1");
    await setTag(database, { project: server.project, name: "org-pools", version: "live" }, "v1");
    expect(await remove("org/pools")).toBeNull();
    expect(await versions()).toEqual([]);
    expect(await server.query("name/org/pools")).toEqual({
      errors: [{ message: "deployment `org/pools` does not exist" }],
    });
    expect(await deploy("org/pools", first)).toBe("subgraph name not found: org/pools");
    expect(await remove("org/pools")).toBeNull();
  });

  test("removing deletes nothing while something is used", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    await deploy("pools", second, "v2");
    await usePools("v2");
    expect(await remove("pools")).toContain('"pools/v2" is still used by the pipeline "copy"');
    expect(await versions()).toHaveLength(2);
  });

  test("a subgraph that was deployed with the management API has its name already", async () => {
    await create("pools");
    await deploy("pools", first, "v1");
    await database.run(SQL`delete from graphloom.door_names`);
    expect(await deploy("pools", second, "v2")).toEqual(addresses("name/pools"));
    expect(await versions()).toHaveLength(2);
  });
});

describe("a page in a browser", () => {
  test.each([
    { origin: "https://evil.example" },
    { "sec-fetch-site": "cross-site" },
  ])("of another origin can use neither the admin port nor the IPFS port: %j", async (headers) => {
    const body = JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "subgraph_create",
      params: { name: "evil" },
    });
    await fetch(server.doors.admin, {
      method: "POST",
      headers: { ...headers, "content-type": "text/plain" },
      body,
    });
    expect(await database.query(SQL`select name from graphloom.door_names`)).toEqual([]);
    expect((await server.ipfs("/api/v0/version", { headers })).status).toBe(403);
  });
});

const bomb = `a: &a [x, x, x, x, x, x, x, x]\n${"bcdefghi"
  .split("")
  .map((key, index) => `${key}: &${key} [${`*${"abcdefghi"[index]}, `.repeat(8)}]`)
  .join("\n")}\n`;

function onlyManifest(text: string): UploadedFiles {
  const bytes = new TextEncoder().encode(text);
  return { hash: cidV0(bytes), files: new Map([[cidV0(bytes), bytes]]) };
}

function withoutWasm(): UploadedFiles {
  const wasm = cidV0(sampleFiles()["Pool/Pool.wasm"] as Uint8Array);
  return { hash: first.hash, files: new Map([...first.files].filter(([cid]) => cid !== wasm)) };
}

/** Has a deployment synced, as the engine would. */
async function synced({ hash }: UploadedFiles): Promise<void> {
  await database.query(
    SQL`insert into graphloom.deployments (deployment, network, schema, start_block, earliest_block, synced_at)
      values ($1::text, 'mainnet', '', 10, 10, now())`,
    [hash],
  );
}

/** Has a pipeline read a version. */
async function usePools(version: string): Promise<void> {
  const pipeline = { project: server.project, name: "copy", definition: "", doer: "x" };
  await addPipeline(database, { ...pipeline, form: "pipeline", isJob: false, status: "ACTIVE" });
  await setPipelineSubgraphs(database, pipeline, [{ name: "pools", version }]);
}
