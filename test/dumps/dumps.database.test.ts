import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { findInGraphNode, graphNodeSource } from "../../src/dumps/graph-node/graph-node-source.js";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { dropAbandoned } from "../../src/dumps/restores.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { SQL, uncheckedSql } from "../../src/store/database/database.js";
import { quoteNames } from "../../src/store/database/quote.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { describeDatabases } from "../support/database/databases.js";
import { faultyDatabase } from "../support/database/faulty-database.js";
import { testFolder } from "../support/folder.js";
import {
  copyRecorded,
  deployment,
  indexed,
  killedAt,
  kinds,
  makeCatalog,
  openOwn,
  recorded,
  recordedRows,
  rowsOf,
  sqlNames,
  withoutSearch,
} from "./dump-tests.js";

const once = { replace: false };
describeDatabases("dumps", ({ fresh }) => {
  test("graph-node's own dump is restored row by row, and dumped again as the same rows", async () => {
    const database = await fresh();
    const report = await restoreDump(database, openDumpFiles(recorded), once);
    expect(report).toMatchObject({ deployment: kinds, network: "mainnet", head: 21, isContinued: false });
    const found = await findDeployment(database, kinds);
    expect(found).toMatchObject({ startBlock: 0, earliestBlock: 0, proofVariant: "fast", health: "healthy" });
    const rows = await rowsOf(database, kinds);
    const expected = await recordedRows(database, found?.namespace ?? "");
    expect(expected.size).toBe(rows.size);
    for (const [type, own] of rows)
      expect(own.map(withoutSearch), type).toEqual(expected.get(sqlNames[type] ?? type.toLowerCase()));

    const copy = openDumpFiles(join(testFolder(), "copy"));
    await writeDump(database, copy, kinds);
    await restoreDump(database, copy, { replace: true });
    expect(await rowsOf(database, kinds)).toEqual(rows);
    expect((await findDeployment(database, kinds))?.manifest).toEqual(found?.manifest);
  });

  test("a dump is continued by what is new, and a restored deployment is indexed further", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3);
    await writeDump(database, files, deployment);
    await expect(writeDump(database, files, deployment)).rejects.toThrow(/already has all blocks, up to 3/);
    await indexed(database, 4, 5);
    const report = await writeDump(database, files, deployment);
    expect(report.tables.find(({ type }) => type === "Token")).toEqual({ type: "Token", rows: 4, clamps: 2 });
    const before = await rowsOf(database, deployment);
    await dropDeployment(database, deployment);
    await restoreDump(database, files, { ...once, name: { name: "own", version: "1" } });
    expect(await rowsOf(database, deployment)).toEqual(before);
    expect(await database.query(SQL`select name, version, deployment from graphloom.run_names`)).toEqual([
      { name: "own", version: "1", deployment },
    ]);

    await indexed(database, 6);
    const after = await rowsOf(database, deployment);
    await dropDeployment(database, deployment);
    await indexed(database, 2, 3, 4, 5, 6);
    expect(await rowsOf(database, deployment)).toEqual(after);
  });

  test("a dump that was killed at any file is completed by the next one", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3, 4);
    let kills = 0;
    for (; kills < 1000; kills += 1) {
      const killed = await writeDump(database, killedAt(files, kills), deployment).then(
        () => undefined,
        (error: Error) => error.message,
      );
      if (killed === undefined) break;
      expect(killed).toBe("killed");
      await expect(restoreDump(database, files, once)).rejects.toThrow(/has no metadata.json/);
    }
    expect(kills).toBeGreaterThan(10);
    const rows = await rowsOf(database, deployment);
    await restoreDump(database, files, { replace: true });
    expect(await rowsOf(database, deployment)).toEqual(rows);
  });

  test("a restore that was killed at any statement is continued by the next one", async () => {
    const database = faultyDatabase(await fresh());
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3, 4);
    await writeDump(database, files, deployment);
    const rows = await rowsOf(database, deployment);
    await dropDeployment(database, deployment);
    database.arm();
    await restoreDump(database, files, once);
    const steps = database.steps();
    const kills = Math.min(2 * steps, Number(process.env.GRAPHLOOM_DUMP_KILLS ?? 6));
    for (let kill = 0; kill < kills; kill += 1) {
      await dropDeployment(database, deployment);
      const at = Math.floor((kill * 2 * steps) / kills);
      database.arm({ step: 1 + (at >> 1), code: undefined, isLate: at % 2 === 1 });
      const killed = await restoreDump(database, files, once).then(
        () => false,
        () => true,
      );
      database.arm();
      // The database may have committed what it did not answer any more.
      if (killed && !(await findDeployment(database, deployment))) await restoreDump(database, files, once);
      expect(await rowsOf(database, deployment)).toEqual(rows);
      expect(await database.query(SQL`select 1 from graphloom.restores`)).toEqual([]);
    }
    expect(kills).toBeGreaterThan(5);
  });

  test("a deployment stays unchanged until the dump in its place is complete", async () => {
    const database = await fresh();
    const copy = copyRecorded(testFolder());
    await restoreDump(database, openDumpFiles(copy), once);
    await expect(restoreDump(database, openDumpFiles(copy), once)).rejects.toThrow(
      /is already in the database/,
    );
    const rows = await rowsOf(database, kinds);
    await openDumpFiles(copy).remove("data_sources$/chunk_000000.parquet");
    const replacing = restoreDump(database, openDumpFiles(copy), { replace: true });
    await expect(replacing).rejects.toThrow(/data_sources\$\/chunk_000000.parquet: the file does not exist/);
    expect(await rowsOf(database, kinds)).toEqual(rows);
    const restored = await restoreDump(database, openDumpFiles(recorded), { replace: true });
    expect(restored.isContinued).toBe(true);
    expect(await rowsOf(database, kinds)).toEqual(rows);
  });

  test("a restore is dropped after a week without another row, and stays while rows come", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3);
    await writeDump(database, files, deployment);
    await dropDeployment(database, deployment);
    const copy = copyRecorded(testFolder());
    await openDumpFiles(copy).remove("data_sources$/chunk_000000.parquet");
    await expect(restoreDump(database, openDumpFiles(copy), once)).rejects.toThrow(/the file does not exist/);
    const schemas = async (): Promise<unknown> =>
      (await database.query(SQL`select from pg_namespace where nspname like 'sgd%'`)).length;
    expect(await dropAbandoned(database)).toEqual([]);
    const grow = (): Promise<unknown> =>
      database.query(SQL`update graphloom.restores set created_at = now() - interval '8 days'`);
    await grow();
    // Each row that comes renews it.
    await expect(restoreDump(database, openDumpFiles(copy), once)).rejects.toThrow(/the file does not exist/);
    expect(await dropAbandoned(database)).toEqual([]);
    await grow();
    expect(await schemas()).toBe(1);
    // Another restore cleans up as well.
    await restoreDump(database, files, once);
    expect(await database.query(SQL`select 1 from graphloom.restores`)).toEqual([]);
    expect(await schemas()).toBe(1);
    expect((await findDeployment(database, deployment))?.head?.number).toBe(3);
  });

  test("a deployment of an earlier version can be dumped once its build was opened", async () => {
    const database = await fresh();
    const files = openDumpFiles(testFolder());
    await indexed(database, 2);
    await database.query(SQL`update graphloom.deployments set manifest = null`);
    await expect(writeDump(database, files, deployment)).rejects.toThrow(/does not know the specVersion/);
    await openOwn(database);
    expect(await writeDump(database, files, deployment)).toMatchObject({ head: 2 });
  });

  test("a dump whose digests do not give its proof of indexing is refused", async () => {
    const database = await fresh();
    const folder = testFolder();
    const files = openDumpFiles(folder);
    await indexed(database, 2, 3);
    await writeDump(database, files, deployment);
    const path = join(folder, "metadata.json");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/"hash": "0000/, '"hash": "1111'));
    const restoring = restoreDump(database, files, { replace: true });
    await expect(restoring).rejects.toThrow(/the proof of indexing is 0x\w{64}, and that of the dump was 0x/);
    writeFileSync(path, text);
    await restoreDump(database, files, { replace: true });
  });

  test("the database of a graph-node is dumped as graphman dumps it", async () => {
    const database = await fresh();
    await restoreDump(database, openDumpFiles(recorded), once);
    await makeCatalog(database, (await findDeployment(database, kinds))?.namespace ?? "");
    const wanted = await judgeDump(openDumpFiles(recorded));
    await expect(findInGraphNode(database, "other")).rejects.toThrow(/has no subgraph other/);
    const id = await findInGraphNode(database, "named/kinds");
    const files = openDumpFiles(testFolder());
    await writeDump(database, files, id, { source: graphNodeSource });
    const dumped = await judgeDump(files);
    const { tables, ...facts } = dumped.metadata;
    const { tables: recordedTables, ...recordedFacts } = wanted.metadata;
    expect(facts).toEqual(recordedFacts);
    expect([...tables.keys()]).toEqual([...recordedTables.keys()]);
    expect(dumped.sourceNames).toEqual(["C", "Child", "File"]);
    const rows = await rowsOf(database, kinds);
    await restoreDump(database, files, { replace: true });
    expect(await rowsOf(database, kinds)).toEqual(rows);
    const { namespace = "" } = (await findDeployment(database, kinds)) ?? {};
    await database.run(SQL`update public.deployment_schemas set name = '${uncheckedSql(namespace)}';
      alter table ${quoteNames(namespace, "data_sources$")} rename to other`);
    const writing = writeDump(database, openDumpFiles(testFolder()), id, { source: graphNodeSource });
    await expect(writing).rejects.toThrow(/has no table data_sources\$: an old graph-node keeps/);
    await database.run(SQL`alter table ${quoteNames(namespace, "other")} rename to data_sources$`);
  });
});
