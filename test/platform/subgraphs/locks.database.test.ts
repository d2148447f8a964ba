import { beforeEach, expect, test } from "vitest";
import type { Engine } from "../../../src/hosting/engine.js";
import type { Caller } from "../../../src/platform/people/access.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { keepRead } from "../../../src/platform/pipelines/keep-read.js";
import { addPipeline, setPipelineSubgraphs } from "../../../src/platform/pipelines/pipeline-rows.js";
import { subgraphReferences } from "../../../src/platform/subgraph-references.js";
import { aimedBuilds, dropBuild, isUnshown } from "../../../src/platform/subgraphs/builds.js";
import { changeSubgraph, removeSubgraph } from "../../../src/platform/subgraphs/change-subgraphs.js";
import { createHosting } from "../../../src/platform/subgraphs/create-hosting.js";
import { tagSubgraph, untagSubgraph } from "../../../src/platform/subgraphs/tag-subgraphs.js";
import { addVersion, deleteVersion, findVersion } from "../../../src/platform/subgraphs/versions.js";
import type { Database, Sql } from "../../../src/store/database/database.js";
import { findDeployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../../src/store/deployments/drop-deployment.js";
import { describeDatabases, world } from "../../support/database/databases.js";
import { untilWaiting, whileWaiting } from "../../support/database/while-waiting.js";
import { HostingDouble } from "../../support/server/hosted-double.js";

const project = "project_1";
const caller: Caller = { kind: "key", id: "key", name: "key", project, role: "Owner" };
const hosting = new HostingDouble();
const deployment = "QmPools";
const version = (name: string, built = deployment) => ({
  project,
  name: "pools",
  version: name,
  deployment: built,
});

describeDatabases("versions that two servers change at once", ({ fresh, provider }) => {
  let database: Database;
  const built = { bundle: new Uint8Array(), network: "mainnet", engine: "embedded", description: null };
  const deploy = (held: Database, name: string, isPublic = true) =>
    held.transaction((sql) =>
      addVersion(sql, { ...version(name, `${deployment}${name}`), ...built, hasPublicEndpoint: isPublic }),
    );

  beforeEach(async () => {
    database = await fresh();
    await createProject(database, { id: project, name: "one" });
  });

  const showAgain = (held: Database) =>
    held.transaction((sql) => addVersion(sql, { ...version("2.0.0"), ...built }));
  /** A build that no version shows any more. */
  const leaveBuild = async () => {
    await database.transaction((sql) => addVersion(sql, { ...version("1.0.0"), ...built }));
    await deleteVersion(database, version("1.0.0"));
  };
  const shown = async () => (await aimedBuilds(database)).map(({ isShown }) => isShown);

  test.runIf(provider === "postgres")("a build that is deployed while it is dropped stays", async () => {
    await leaveBuild();
    let dropped: Promise<boolean> | undefined;
    await database.transaction(({ run, query }) => {
      const sql: Sql = {
        run,
        async query(statement, ...given) {
          const rows = await query(statement, ...given);
          if (!statement.includes("insert into graphloom.builds")) return rows;
          dropped = dropBuild(database, deployment);
          await untilWaiting(database, dropped);
          return rows;
        },
      };
      return addVersion(sql, { ...version("2.0.0"), ...built });
    });
    expect(await dropped).toBe(false);
    expect(await shown()).toEqual([true]);
  });

  test("a build that is deployed again while it is to be dropped stays", async () => {
    await leaveBuild();
    expect(await whileWaiting(database, showAgain, () => dropBuild(database, deployment))).toBe(false);
    expect(await shown()).toEqual([true]);
  });

  test("indexed data stays if the build is deployed again while it is dropped", async () => {
    await leaveBuild();
    await openDeployment(database, {
      deployment,
      network: "mainnet",
      schema: "type A @entity { id: ID! }",
      startBlock: 0,
    });
    await whileWaiting(database, showAgain, () =>
      dropDeployment(database, deployment, (sql) => isUnshown(sql, deployment)),
    );
    expect(await findDeployment(database, deployment)).toBeDefined();
  });

  test("an engine checks again before it drops indexed data", async () => {
    await leaveBuild();
    const asked: boolean[] = [];
    const [double] = hosting.engines;
    const engine: Engine = {
      ...(double as Engine),
      start: async () => undefined,
      async remove(_, mayRemove) {
        await showAgain(database);
        asked.push(await mayRemove(database));
      },
    };
    const own = createHosting({ database, engines: [engine], world });
    await own.reconcile();
    await own.close();
    expect(asked).toEqual([false]);
  });

  const references = (held: Database, name: string) =>
    removeSubgraph({ database: held, hosting }, caller, { name: "pools", version: name }, subgraphReferences);
  const reading = { project, name: "swaps" };
  const subgraphs = (names: readonly string[]) => names.map((name) => ({ name: "pools", version: name }));
  /** What `applyPipeline` does with the subgraphs that a pipeline reads. */
  const read = (held: Database, names: readonly string[]) =>
    held.transaction(async (sql) => {
      await setPipelineSubgraphs(sql, reading, subgraphs(names));
      await keepRead(sql, reading, subgraphs(names));
    });

  test("a version that a pipeline has just begun to read is not deleted, and a deleted version is not read", async () => {
    await deploy(database, "1.0.0");
    await deploy(database, "2.0.0");
    await addPipeline(database, { ...reading, form: "pipeline", isJob: false, status: "INACTIVE" });
    const late = whileWaiting(
      database,
      (held) => read(held, ["1.0.0"]),
      () => references(database, "1.0.0"),
    );
    await expect(late).rejects.toMatchObject({ type: "in-use" });
    const later = whileWaiting(
      database,
      (held) => references(held, "2.0.0"),
      () => read(database, ["1.0.0", "2.0.0"]),
    );
    await expect(later).rejects.toMatchObject({ type: "conflict" });
  });

  test("a tag that a pipeline has just begun to read is not deleted", async () => {
    await deploy(database, "1.0.0");
    await tagSubgraph({ database }, caller, { name: "pools", tag: "prod" }, "1.0.0");
    await addPipeline(database, { ...reading, form: "pipeline", isJob: false, status: "INACTIVE" });
    const late = whileWaiting(
      database,
      (held) => read(held, ["prod"]),
      () => untagSubgraph({ database }, caller, { name: "pools", tag: "prod" }, subgraphReferences),
    );
    await expect(late).rejects.toMatchObject({ type: "in-use" });
  });

  test("a version that was just tagged is not deleted, and the answer says so", async () => {
    await deploy(database, "1.0.0");
    const late = whileWaiting(
      database,
      (held) => tagSubgraph({ database: held }, caller, { name: "pools", tag: "prod" }, "1.0.0"),
      () => references(database, "1.0.0"),
    );
    await expect(late).rejects.toMatchObject({ type: "in-use" });
  });

  test("a tag whose public endpoint was just turned on does not open a private version", async () => {
    await deploy(database, "1.0.0");
    await deploy(database, "2.0.0", false);
    const tag = { name: "pools", tag: "prod" };
    await tagSubgraph({ database }, caller, tag, "1.0.0");
    const named = { name: "pools", version: "prod" };
    await changeSubgraph({ database, hosting }, caller, named, { hasPublicEndpoint: false });
    const late = whileWaiting(
      database,
      (held) => changeSubgraph({ database: held, hosting }, caller, named, { hasPublicEndpoint: true }),
      () => tagSubgraph({ database }, caller, tag, "2.0.0"),
    );
    await expect(late).rejects.toMatchObject({ type: "unprocessable" });
  });

  test("a tag moves only from an allowed version", async () => {
    for (const name of ["1.0.0", "2.0.0", "3.0.0"]) await deploy(database, name);
    const tag = { name: "pools", tag: "prod" };
    await tagSubgraph({ database }, caller, tag, "1.0.0");
    const stays = await whileWaiting(
      database,
      (held) => tagSubgraph({ database: held }, caller, tag, "2.0.0"),
      () => tagSubgraph({ database }, caller, tag, "3.0.0", (from) => from === "1.0.0"),
    );
    expect(stays).toBe("2.0.0");
    expect((await findVersion(database, { project, name: "pools", version: "prod" }))?.target).toBe("2.0.0");
  });
});
