import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findInGraphNode, graphNodeSource } from "../../src/dumps/graph-node/graph-node-source.js";
import { restoreToGraphNode } from "../../src/dumps/graph-node/restore-to-graph-node.js";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { writeDump } from "../../src/dumps/write-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { quoteName } from "../../src/store/database/quote.js";
import { describeDatabase } from "../support/database/databases.js";
import { faultyDatabase } from "../support/database/faulty-database.js";
import { testFolder } from "../support/folder.js";
import {
  copyRecorded,
  type DumpName,
  deployment,
  deployments,
  differing,
  dumpNamed,
  indexed,
  kinds,
  recorded,
  rowsOf,
  withCatalog,
} from "./dump-tests.js";

/** The schemas of deployments, with their comments. */
async function schemas(database: Database): Promise<readonly string[]> {
  const rows = await database.query(
    SQL`select nspname || ': ' || coalesce(obj_description(oid, 'pg_namespace'), '') as text from pg_namespace
      where nspname like 'sgd%' order by 1`,
  );
  return rows.map(({ text }) => String(text));
}

// A graph-node has PostgreSQL.
describeDatabase("the database of a graph-node", false, ({ fresh }) => {
  test.each<DumpName>([
    "kinds",
    "failed",
    "old",
    "grafted",
  ])("gets the dump %s row by row, and is dumped again as the same", async (name) => {
    const database = await fresh();
    await withCatalog(database);
    const wanted = await judgeDump(openDumpFiles(dumpNamed(name)));
    const id = deployments[name];
    const report = await restoreToGraphNode(database, openDumpFiles(dumpNamed(name)), {});
    expect(report).toMatchObject({
      deployment: id,
      head: wanted.metadata.head?.number,
      isContinued: false,
    });
    expect(await findInGraphNode(database, id)).toBe(id);
    const files = openDumpFiles(testFolder());
    await writeDump(database, files, id, { source: graphNodeSource });
    const { tables, health: _, ...facts } = (await judgeDump(files)).metadata;
    const { tables: recordedTables, health: __, ...recordedFacts } = wanted.metadata;
    expect(facts).toEqual(recordedFacts);
    expect([...tables.keys()]).toEqual([...recordedTables.keys()]);
    await restoreDump(database, files, { replace: false });
    expect(await differing(database, name)).toEqual([]);
    expect((await schemas(database)).filter((text) => !text.endsWith(": "))).toEqual([]);
  });

  test("has tables with the indexes that a graph-node makes, and no log of changes", async () => {
    const database = await fresh();
    await withCatalog(database);
    await restoreToGraphNode(database, openDumpFiles(recorded), {});
    const [row] = await database.query(SQL`select name from public.deployment_schemas`);
    const namespace = row?.name ?? "";
    const rows = await database.query(
      SQL`select indexname as name from pg_indexes where schemaname = $1::text and tablename = 'poi2$' order by 1`,
      [namespace],
    );
    expect(rows.map(({ name }) => name)).toEqual([
      "attr_12_0_poi2$_digest",
      "attr_12_1_poi2$_id",
      "attr_12_2_poi2$_block_time",
      "brin_poi2$",
      "poi2$_block_range_closed",
      "poi2$_id_block_range_excl",
      "poi2$_pkey",
    ]);
    const [log] = await database.query(SQL`select to_regclass($1::text) as log`, [`${namespace}.changes$`]);
    expect(log?.log).toBeNull();
  });

  test("numbers rows on its own only for a manifest before 1.3.0", async () => {
    const database = await fresh();
    await withCatalog(database);
    const copy = copyRecorded(testFolder());
    const path = join(copy, "metadata.json");
    const text = readFileSync(path, "utf8");
    for (const version of ["1.3.0", "1.2.0"]) {
      writeFileSync(path, text.replace(/"spec_version": "[^"]+"/, `"spec_version": "${version}"`));
      await restoreToGraphNode(database, openDumpFiles(copy), {});
      const [row] = await database.query(SQL`select id, name from public.deployment_schemas`);
      const [found] = await database.query(
        SQL`select pg_get_serial_sequence($1::text, 'vid') is not null as of_entities,
          pg_get_serial_sequence($2::text, 'vid') is not null as of_aggregations,
          pg_get_serial_sequence($3::text, 'vid') is not null as of_proofs`,
        ["auto_id", "stats_hour", "poi2$"].map((table) => `${row?.name}."${table}"`),
      );
      const isOld = version === "1.2.0" ? "t" : "f";
      expect(found).toEqual({ of_entities: isOld, of_aggregations: "t", of_proofs: isOld });
      if (version === "1.2.0") {
        const [next] = await database.query(
          SQL`select nextval(pg_get_serial_sequence($1::text, 'vid')) > max(vid) as later
            from ${quoteName(row?.name ?? "")}.auto_id`,
          [`${row?.name}.auto_id`],
        );
        expect(next?.later).toBe("t");
      }
      await database.run(SQL`delete from subgraphs.head; delete from public.deployment_schemas`);
    }
  });

  test("refuses a deployment that it has, a chain that it does not know, and a dump without proofs", async () => {
    const database = await fresh();
    const restoring = (folder = recorded): Promise<unknown> =>
      restoreToGraphNode(database, openDumpFiles(folder), {});
    await expect(restoring()).rejects.toThrow(/is not that of a graph-node of version 0.40 or later/);
    await withCatalog(database);
    await database.run(SQL`update public.chains set name = 'sepolia'`);
    await expect(restoring()).rejects.toMatchObject({
      message: "the graph-node has no chain mainnet",
      hint: "Its chains are sepolia. Start it once with a node of mainnet.",
    });
    await database.run(SQL`update public.chains set name = 'mainnet'`);
    const copy = copyRecorded(testFolder());
    const path = join(copy, "metadata.json");
    const metadata = JSON.parse(readFileSync(path, "utf8"));
    delete metadata.tables.Poi$;
    writeFileSync(path, JSON.stringify(metadata));
    await expect(restoring(copy)).rejects.toThrow(/the dump has no proofs of indexing/);
    expect(await schemas(database)).toEqual([]);
    await restoring();
    await expect(restoring()).rejects.toMatchObject({
      message: `the graph-node has ${kinds} already`,
      hint: expect.stringContaining(`graphman unused remove --deployment ${kinds}`),
    });
    expect(await schemas(database)).toHaveLength(1);
    await database.run(SQL`create schema primary_public; create extension if not exists file_fdw;`).then(
      async () => {
        onTestFinished(() =>
          database.run(SQL`drop schema primary_public cascade; drop extension file_fdw cascade`),
        );
        await database.run(SQL`create server shard foreign data wrapper file_fdw;
          create foreign table primary_public.deployment_schemas (id integer) server shard options (filename '/dev/null')`);
        await expect(restoring()).rejects.toThrow("the database is a shard of a graph-node");
      },
      // PGlite has no foreign tables.
      () => database.run(SQL`drop schema if exists primary_public`),
    );
  });

  test("continues a restore that was killed at any statement", async () => {
    const database = faultyDatabase(await fresh());
    await withCatalog(database);
    const files = openDumpFiles(testFolder());
    await indexed(database, 2, 3, 4);
    await writeDump(database, files, deployment);
    const rows = await rowsOf(database, deployment);
    const restoring = (): Promise<{ readonly isContinued: boolean }> =>
      restoreToGraphNode(database, files, {});
    const drop = async (): Promise<void> => {
      const [row] = await database.query(SQL`select name from public.deployment_schemas`);
      const found = await schemas(database);
      // Its own deployment, and the one of the graph-node, without a comment.
      expect(found).toContain(`${row?.name}: `);
      expect(found.filter((text) => text.endsWith(": "))).toHaveLength(2);
      expect(found).toHaveLength(2);
      await database.run(SQL`drop schema ${quoteName(row?.name ?? "")} cascade;
        delete from subgraphs.head; delete from public.deployment_schemas`);
    };
    database.arm();
    await restoring();
    const steps = database.steps();
    await drop();
    const kills = Math.min(2 * steps, Number(process.env.GRAPHLOOM_DUMP_KILLS ?? 6));
    let continued = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const at = Math.floor((kill * 2 * steps) / kills);
      database.arm({ step: 1 + (at >> 1), code: undefined, isLate: at % 2 === 1 });
      const killed = await restoring().then(
        () => false,
        () => true,
      );
      database.arm();
      const [there] = await database.query(SQL`select 1 as there from public.deployment_schemas`);
      if (killed && !there && (await restoring()).isContinued) continued += 1;
      const copy = openDumpFiles(testFolder());
      await writeDump(database, copy, deployment, { source: graphNodeSource });
      await restoreDump(database, copy, { replace: true });
      expect(await rowsOf(database, deployment)).toEqual(rows);
      await drop();
    }
    expect(continued).toBeGreaterThan(1);
  });
});
