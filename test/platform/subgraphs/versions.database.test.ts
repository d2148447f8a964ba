import { beforeEach, expect, it } from "vitest";
import {
  addApiKey,
  findApiKey,
  listApiKeys,
  mayActAs,
  revokeApiKey,
} from "../../../src/platform/people/api-keys.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { aimedBuilds, dropBuild, readBundle } from "../../../src/platform/subgraphs/builds.js";
import {
  addVersion,
  changeVersion,
  deleteTag,
  deleteVersion,
  findVersion,
  listVersions,
  setPaused,
  setTag,
  tagsOf,
  versionsOf,
} from "../../../src/platform/subgraphs/versions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { describeDatabases } from "../../support/database/databases.js";

describeDatabases("The catalog of subgraphs", (databases) => {
  let database: Database;
  const project = "project_1";
  const pools = { project, name: "pools", version: "1.0.0" };

  beforeEach(async () => {
    database = await databases.fresh();
    await migrate(database);
    await createProject(database, { id: project, name: "First" });
  });

  const add = (version: string, deployment = "QmA", name = "pools") =>
    database.transaction((sql) =>
      addVersion(sql, {
        project,
        name,
        version,
        deployment,
        bundle: new Uint8Array([80, 75, 0, 255]),
        network: "mainnet",
        engine: "embedded",
        description: null,
      }),
    );

  it("the catalog stores a build once for all versions that share it, and returns it", async () => {
    expect(await add("1.0.0")).toBe(true);
    expect(await add("1.0.0")).toBe(false);
    expect(await add("1.1.0")).toBe(true);
    expect([...((await readBundle(database, "QmA")) ?? [])]).toEqual([80, 75, 0, 255]);
    expect((await versionsOf(database, "QmA")).map(({ version }) => version)).toEqual(["1.0.0", "1.1.0"]);
    expect(await findVersion(database, pools)).toMatchObject({
      deployment: "QmA",
      network: "mainnet",
      isPaused: false,
    });
  });

  it("the catalog has one namespace for versions and tags", async () => {
    await add("1.0.0");
    await add("2.0.0", "QmB");
    const tag = { ...pools, version: "prod" };
    const set = (name: typeof tag, target: string) =>
      database.transaction((sql) => setTag(sql, name, target));
    expect(await set(tag, "1.0.0")).toBe(true);
    expect(await set(tag, "2.0.0")).toBe(true);
    expect(await findVersion(database, tag)).toMatchObject({ target: "2.0.0", deployment: "QmB" });
    expect(await set({ ...pools, version: "2.0.0" }, "1.0.0")).toBe(false);
    expect(await set({ ...pools, version: "beta" }, "prod")).toBe(false);
    expect(await set({ ...pools, version: "beta" }, "3.0.0")).toBe(false);
    expect(await add("prod", "QmC")).toBe(false);
    expect(await tagsOf(database, { ...pools, version: "2.0.0" })).toEqual(["prod"]);
    await expect(deleteVersion(database, { ...pools, version: "2.0.0" })).rejects.toThrow(/foreign key/);
    expect(await deleteTag(database, tag)).toBe(true);
    expect(await deleteVersion(database, { ...pools, version: "2.0.0" })).toBe(true);
    expect(await deleteVersion(database, { ...pools, version: "2.0.0" })).toBe(false);
  });

  it("the catalog lists versions in pages, by name and version", async () => {
    await add("b", "QmA", "b");
    await add("B", "QmA", "b");
    await add("a", "QmA", "a");
    const all = await listVersions(database, project, { limit: 10 });
    expect(all.map(({ name, version }) => `${name}/${version}`)).toEqual(["a/a", "b/B", "b/b"]);
    const rest = await listVersions(database, project, { after: { name: "b", version: "B" }, limit: 10 });
    expect(rest.map(({ version }) => version)).toEqual(["b"]);
    expect(await listVersions(database, "project_2", { limit: 10 })).toEqual([]);
  });

  it("the catalog keeps a build active while one of its versions is not paused", async () => {
    await add("1.0.0");
    await add("1.1.0");
    const aim = async () => (await aimedBuilds(database))[0];
    await setPaused(database, pools, true);
    expect(await aim()).toMatchObject({ isActive: true, isShown: true });
    await setPaused(database, { ...pools, version: "1.1.0" }, true);
    expect(await aim()).toMatchObject({ isActive: false, isShown: true });
    expect(await dropBuild(database, "QmA")).toBe(false);
    await deleteVersion(database, pools);
    await deleteVersion(database, { ...pools, version: "1.1.0" });
    expect(await aim()).toMatchObject({ isActive: false, isShown: false });
    expect(await dropBuild(database, "QmA")).toBe(true);
    expect(await aim()).toBeUndefined();
  });

  it("the catalog counts a build for the project that has indexed it for longest", async () => {
    await createProject(database, { id: "project_2", name: "two" });
    const aim = async () => (await aimedBuilds(database))[0]?.project;
    await add("1.0.0");
    await database.transaction((sql) =>
      addVersion(sql, {
        project: "project_2",
        name: "pools",
        version: "1.0.0",
        deployment: "QmA",
        bundle: new Uint8Array([1]),
        network: "mainnet",
        engine: "embedded",
        description: null,
      }),
    );
    expect(await aim()).toBe(project);
    await setPaused(database, pools, true);
    expect(await aim()).toBe("project_2");
    await setPaused(database, pools, false);
    expect(await aim()).toBe(project);
    await deleteVersion(database, pools);
    expect(await aim()).toBe("project_2");
    await deleteVersion(database, { ...pools, project: "project_2" });
    expect(await aim()).toBeNull();
  });

  it("the catalog changes only the given fields of a version or tag", async () => {
    await add("1.0.0");
    const tag = { ...pools, version: "prod" };
    await database.transaction((sql) => setTag(sql, tag, "1.0.0"));
    await changeVersion(database, tag, { hasPrivateEndpoint: true });
    await changeVersion(database, pools, { description: "all pools" });
    expect(await findVersion(database, tag)).toMatchObject({
      hasPrivateEndpoint: true,
      hasPublicEndpoint: true,
      description: null,
    });
    expect(await findVersion(database, pools)).toMatchObject({
      hasPrivateEndpoint: false,
      description: "all pools",
    });
  });

  it("the catalog finds API keys by their hashes until they are revoked", async () => {
    await addApiKey(database, { id: "key_1", project, name: "ci", role: "Editor", key: "gl_secret" });
    expect(await findApiKey(database, "gl_secret")).toMatchObject({ id: "key_1", project, role: "Editor" });
    expect(await findApiKey(database, "gl_other")).toBeUndefined();
    const kept = JSON.stringify(await database.query(SQL`select * from graphloom.api_keys`));
    expect(kept).not.toContain("gl_secret");
    expect(await revokeApiKey(database, "project_2", "key_1")).toBe(false);
    expect(await revokeApiKey(database, project, "key_1")).toBe(true);
    expect(await revokeApiKey(database, project, "key_1")).toBe(false);
    expect(await findApiKey(database, "gl_secret")).toBeUndefined();
    expect((await listApiKeys(database, project))[0]?.revokedAt).toBeInstanceOf(Date);
    expect([mayActAs("Owner", "Editor"), mayActAs("Viewer", "Editor"), mayActAs("Editor", "Editor")]).toEqual(
      [true, false, true],
    );
  });
});
