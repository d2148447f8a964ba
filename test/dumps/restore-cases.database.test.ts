import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DumpError } from "../../src/dumps/dump-error.js";
import { storedTables } from "../../src/dumps/dump-tables.js";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { readDumpFile } from "../../src/dumps/read-dump-file.js";
import { restoreDump } from "../../src/dumps/restore-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import type { Database } from "../../src/store/database/database.js";
import { findDeployment } from "../../src/store/deployments/deployments.js";
import { dropDeployment } from "../../src/store/deployments/drop-deployment.js";
import { layOut } from "../../src/store/tables/lay-out.js";
import { graphloom } from "../cli/harness.js";
import { onPglite } from "../support/database/databases.js";
import { testFolder } from "../support/folder.js";
import { type DumpName, deployments, differing, dumpNamed, recorded, recordings } from "./dump-tests.js";

/** A command that graphman was given, and what it did. */
interface Recorded {
  readonly label: string;
  readonly args?: readonly string[];
  readonly code?: number;
  /** The first line of its error. */
  readonly error?: string;
  /** Whether the tables were those of the dump afterwards. */
  readonly equal?: boolean;
  /** The rows that it restored. */
  readonly rows?: number;
}

const cases: readonly Recorded[] = JSON.parse(readFileSync(join(recordings, "restore-cases.json"), "utf8"));

type Metadata = Record<string, unknown> & { tables: Record<string, Record<string, unknown>> };
type Damage = (folder: string) => void;

/** Changes `metadata.json`, whose vids stay exact because they are below 2^53. */
const metadata =
  (change: (metadata: Metadata) => void): Damage =>
  (folder) => {
    const path = join(folder, "metadata.json");
    const content = JSON.parse(readFileSync(path, "utf8"));
    change(content);
    writeFileSync(path, JSON.stringify(content));
  };

const remove =
  (...path: readonly string[]): Damage =>
  (folder) =>
    rmSync(join(folder, ...path));

const table = (metadata: Metadata, name: string): Record<string, unknown> => {
  const found = metadata.tables[name];
  if (!found) throw new Error(`no table ${name}`);
  return found;
};

/** How a case is repeated, and what is different here. */
interface Repeated {
  readonly dump?: DumpName;
  readonly damage?: Damage;
  /** What graphloom does instead, and why. */
  readonly departs?: {
    /** How it ends: restored, or refused with a message. */
    readonly to: RegExp | "restored";
    readonly because: string;
  };
}

const fewer = "rows would be lost without a word";
const unsorted = "a restore that was interrupted continues after the last vid";
const names = "names need not be created before, and --name is optional";

/** The cases that restore a folder, by their label. */
const repeated: Readonly<Record<string, Repeated>> = {
  "exists, no flag": {},
  "--name unknown": { departs: { to: "restored", because: names } },
  "--replace, same name (complete dump)": {},
  "--replace again (twice)": {},
  "--replace --name other (name exists, hash known under another name)": {},
  "existing site half dead after a failed --replace: no flag": {},
  "… --replace --name": {},
  "node stopped: --replace, complete dump; then node started": {},
  "node stopped: older dump (full, block 17), --replace": { dump: "kinds-1" },
  "--replace --name other (hash known under kinds)": {},
  "… back": {},
  "no metadata.json": { damage: remove("metadata.json") },
  "metadata.json not JSON": {
    damage: (folder) => writeFileSync(join(folder, "metadata.json"), '{"version":'),
  },
  "version 2": {
    damage: metadata((content) => {
      content.version = 2;
    }),
  },
  "no schema.graphql": { damage: remove("schema.graphql") },
  "no subgraph.yaml": { damage: remove("subgraph.yaml") },
  "metadata key missing: health": {
    damage: metadata((content) => {
      delete content.health;
    }),
  },
  "metadata key missing: indexes": {
    damage: metadata((content) => {
      delete content.indexes;
    }),
    departs: { to: "restored", because: "graphloom makes its own indexes and does not read this key" },
  },
  "option keys missing (start_block, graft_*, debug_fork), clamps missing where empty": {
    damage: metadata((content) => {
      for (const key of ["start_block", "graft_base", "graft_block", "debug_fork"]) delete content[key];
      for (const own of Object.values(content.tables))
        if (Array.isArray(own.clamps) && own.clamps.length === 0) delete own.clamps;
    }),
  },
  "hash with 0x": {
    damage: metadata((content) => {
      const head = content.head_block as { hash: string };
      head.hash = `0x${head.hash}`;
    }),
  },
  "head_block null": {
    damage: metadata((content) => {
      content.head_block = null;
    }),
    departs: {
      to: /is valid from block \d+.*, and the dump has no last block$/,
      because: "its rows cannot be of blocks that were never indexed, and would be written again",
    },
  },
  "chunk file missing": { damage: remove("Mut", "chunk_000001.parquet") },
  "chunk file truncated": { damage: (folder) => truncateSync(join(folder, "Mut/chunk_000001.parquet"), 700) },
  "after a failed restore: good folder without flag": {},
  "… with --replace": {},
  "clamp file missing": { damage: remove("Mut", "clamp_000000.parquet") },
  "--replace again to mend": {},
  "table unknown in schema": {
    damage: metadata((content) => {
      content.tables.Ghost = { ...table(content, "Empty") };
    }),
  },
  "table Mut absent from metadata": {
    damage: metadata((content) => {
      delete content.tables.Mut;
    }),
    departs: { to: /has no table Mut/, because: fewer },
  },
  "data_sources$ absent from metadata": {
    damage: metadata((content) => {
      delete content.tables.data_sources$;
    }),
    departs: { to: /has no table data_sources\$/, because: "contracts of templates would be lost" },
  },
  "Poi$ absent from metadata": {
    damage: metadata((content) => {
      delete content.tables.Poi$;
    }),
  },
  "max_vid of Mut too small": {
    damage: metadata((content) => {
      table(content, "Mut").max_vid = 1;
    }),
    departs: { to: /Mut has the max_vid 1/, because: fewer },
  },
  "max_vid of Mut -1": {
    damage: metadata((content) => {
      table(content, "Mut").max_vid = -1;
    }),
    departs: { to: /Mut has the max_vid -1/, because: fewer },
  },
  "chunk row_count wrong": {
    damage: metadata((content) => {
      const [chunk] = table(content, "Mut").chunks as { row_count: number }[];
      if (chunk) chunk.row_count += 1;
    }),
    departs: { to: /has 10 rows, and metadata.json says 11/, because: fewer },
  },
  mended: {},
  "old spec: --replace": { dump: "old" },
  "node stopped: older dump (block 21), restored twice in a row": { dump: "kinds" },
  "restore --replace of it (node running)": { dump: "failed" },
  "restore --replace of the grafted one": { dump: "grafted" },
  "restore with an unknown graft_base": {
    dump: "grafted",
    damage: metadata((content) => {
      content.graft_base = "QmNope";
    }),
    departs: { to: "restored", because: "the dump has all rows, and the base is not needed any more" },
  },
  "… again, good": { dump: "grafted" },
  // It has no code, only an error.
  "fresh: no chain row for the network yet (node never started on this database)": {
    departs: { to: "restored", because: "a database needs no row for a chain" },
  },
  "fresh: restore without --name, hash unknown here": { departs: { to: "restored", because: names } },
  "fresh: restore --name, name not created": { departs: { to: "restored", because: names } },
  "fresh: restore --name kinds, node running": {},
  "old spec, rows of each chunk in reverse order": {
    dump: "old",
    // graph-node gives the rows of such tables new numbers.
    damage: (folder) =>
      cpSync(
        join(recordings, "rewritten", "old-reversed.parquet"),
        join(folder, "AutoId", "chunk_000000.parquet"),
      ),
    departs: { to: /AutoId\/chunk_000000.parquet.*vids must ascend/, because: unsorted },
  },
};

/** What is different for files that another program has written. graph-node reads them as the first file of a table. */
const byWriter: Readonly<Record<string, Repeated["departs"]>> = {
  lz4: { to: /unsupported compression codec: LZ4_RAW/, because: "no writer of dumps uses it" },
  large: { to: "restored", because: "the file holds the same values, in the same form" },
  unsorted: { to: /vids must ascend/, because: unsorted },
};

/** The cases that are not about a folder, and where they are tested. */
const elsewhere: Readonly<Record<string, string>> = {
  "--add without --shard": "arguments",
  "--add --shard primary, exists there": "arguments",
  "--shard unknown": "arguments",
  "--replace and --force together": "arguments",
  "folder does not exist": "arguments",
  "--force": "arguments",
  "older dump, then indexing goes on to the head": "indexing",
  "node stopped: older dump, then node started and indexing goes on": "indexing",
  "… then node started and indexing goes on to 23": "indexing",
  "fresh: status 6 s later": "indexing",
  "fresh: after a new block with an event": "indexing",
  "dump of a deterministically failed deployment (folder failed/)": "dumping",
  "dump of a grafted deployment (folder grafted/)": "dumping",
  "fresh: dump of the restored deployment, new folder": "dumping",
  "fresh: its metadata compared with the first dump": "dumping",
  "deploy of a grafted subgraph": "deploying, which is no part of moving",
  "fresh: create": "deploying, which is no part of moving",
};

const writers = cases.flatMap((one): [string, Recorded][] => {
  const [, writer] = /^rewritten by another writer: (\w+)$/.exec(one.label) ?? [];
  return writer ? [[writer, one]] : [];
});
const restores = cases.filter(({ label }) => repeated[label]);
const groupSize = 12;
/** So that each test takes seconds. */
const groups = Array.from(
  { length: Math.ceil(restores.length / groupSize) },
  (_, index): [string, typeof restores] => {
    const own = restores.slice(index * groupSize, (index + 1) * groupSize);
    return [`${own[0]?.label} and following`, own];
  },
);

/** Restores a folder over what is there, and says how it ended. */
async function outcomeOf(database: Database, folder: string, replace: boolean): Promise<string> {
  try {
    await restoreDump(database, openDumpFiles(folder), { replace });
    return "restored";
  } catch (error) {
    return error instanceof DumpError ? error.message : Promise.reject(error);
  }
}

describe("recorded restores of a graph-node", () => {
  test("all have a place", () => {
    expect(cases).toHaveLength(82);
    const read = writers.map(([, { label }]) => label);
    const placed = [...Object.keys(repeated), ...read, ...Object.keys(elsewhere)];
    expect(placed.sort()).toEqual(cases.map(({ label }) => label).sort());
  });

  test.each(
    groups,
  )("folders are restored or refused as by graph-node, or for a stated reason not, and a refused one changes nothing: %s", async (_, group) => {
    const database = await onPglite().fresh();
    // What each deployment has, and the tables in which it differs from its dump.
    const now = new Map<string, { readonly dump: DumpName; readonly lost: readonly string[] }>();
    for (const { label, code, args = [], equal } of group) {
      const { dump = "kinds-3", damage, departs } = repeated[label] ?? {};
      const deployment = deployments[dump];
      if (!now.has(deployment)) {
        expect(await outcomeOf(database, dumpNamed(dump), false)).toBe("restored");
        now.set(deployment, { dump, lost: [] });
      }
      const folder = dumpNamed(dump);
      damage?.(folder);
      if (label.startsWith("fresh: ")) await dropDeployment(database, deployment);
      const replace = args.some((arg) => arg === "--replace" || arg === "--force");
      const outcome = await outcomeOf(database, folder, replace);
      expect((outcome === "restored") === (code === 0), `${label}: ${outcome}`).toBe(!departs);
      if (departs) expect(outcome, label).toMatch(departs.to);
      if (outcome === "restored") now.set(deployment, { dump, lost: equal === false ? ["Poi$"] : [] });
      const { dump: there, lost } = now.get(deployment) ?? { dump, lost: [] };
      expect(await differing(database, there), label).toEqual(lost);
      expect((await findDeployment(database, deployment))?.health, label).toBe("healthy");
    }
  });

  test.each(
    writers,
  )("a file of another writer is read or refused as by graph-node, or for a stated reason not: %s", async (writer, {
    code,
    equal,
  }) => {
    const files = openDumpFiles(dumpNamed("kinds-1"));
    const { entities, metadata } = await judgeDump(files);
    const layout = layOut(entities, "sgd", { fileTypes: new Set(metadata.manifest.fileTypes) });
    const columns = storedTables(layout, true).find(({ type }) => type === "Everything")?.columns ?? [];
    const [chunk] = metadata.tables.get("Everything")?.chunks ?? [];
    if (!chunk) throw new Error("the dump has no such file");
    const read = async (): Promise<unknown> => {
      const rows = columns.map((): unknown[] => []);
      for await (const batch of readDumpFile(files, chunk, columns))
        for (const [index, own] of batch.columns.entries()) rows[index]?.push(...own);
      return rows;
    };
    const wanted = await read();
    await files.write(chunk.file, readFileSync(join(recordings, "rewritten", `${writer}.parquet`)));
    const departs = byWriter[writer];
    const outcome = await read().catch((error: unknown) =>
      error instanceof DumpError ? error.message : Promise.reject(error),
    );
    expect(typeof outcome !== "string", `${writer}: ${outcome}`).toBe(
      departs ? departs.to === "restored" : code === 0,
    );
    if (departs) expect(typeof outcome === "string" ? outcome : "restored").toMatch(departs.to);
    if (typeof outcome !== "string") expect(outcome).toEqual(wanted);
    if (equal === false) expect(departs).toBeDefined();
  });

  test("arguments of graphman for its own settings are unknown, and a missing folder is named", async () => {
    const cwd = testFolder();
    cpSync(recorded, join(cwd, "dump"), { recursive: true });
    for (const [options, unknown] of [
      ["--add", "add"],
      ["--shard nope", "shard"],
      ["--replace --force", "force"],
    ]) {
      const ran = await graphloom(cwd, `restore dump --database data ${options}`);
      expect(ran).toMatchObject({ code: 2, out: "" });
      expect(ran.err).toContain(`Unknown argument: ${unknown}\n`);
    }
    const missing = await graphloom(cwd, "restore other --database data");
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.err).toContain("the folder has no metadata.json\nName the folder of a dump.");
  });
});
