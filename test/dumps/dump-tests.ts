import { cpSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { expect, onTestFinished } from "vitest";
import type { DumpFiles } from "../../src/dumps/dump-files.js";
import { storedTables } from "../../src/dumps/dump-tables.js";
import { judgeDump } from "../../src/dumps/judge-dump.js";
import { openDumpFiles } from "../../src/machine/files/dump-files.js";
import type { Store, WrittenBlock } from "../../src/runtime/store/store.js";
import { type Database, SQL, uncheckedSql } from "../../src/store/database/database.js";
import { quoteNames } from "../../src/store/database/quote.js";
import { findDeployment, layoutOf, openDeployment } from "../../src/store/deployments/deployments.js";
import { openStore } from "../../src/store/entities/open-store.js";
import { readEntitySchema } from "../../src/subgraph/schema/read-entity-schema.js";
import { int8, remove, set, text, timestamp } from "../runtime/store/values.js";
import { testFolder } from "../support/folder.js";

/** The folder with what a graph-node 0.44 and graphman wrote. */
export const recordings = fileURLToPath(new URL("recorded", import.meta.url));
/** A dump that graphman wrote: a full one, and an incremental one after it. */
export const recorded = join(recordings, "kinds");
/** Its deployment. */
export const kinds = "QmUd6EP3uuFTi8af3w8RsfSX5dGpfyw9HJDuuY6AvMRCoS";

/** The recorded dumps with their deployments. Those of `kinds` build on each other. */
export const deployments = {
  "kinds-1": kinds,
  kinds,
  "kinds-3": kinds,
  old: "QmX35JAUyX8vXxJJcGLi2WDgxYCVVS6MfvR44n8UjZZvpk",
  failed: "QmaGiLrfbx3Lc8G3UraUboGz7NDK4YvncJMsHJWKB5m2pt",
  grafted: "QmNqyYAHJHYMLC4VYmFZB6a8C9bgeAyJYmti97fn3rdVR1",
} as const;

export type DumpName = keyof typeof deployments;

/** Tables whose names are not their types in lower case. */
export const sqlNames: Readonly<Record<string, string>> = {
  AutoId: "auto_id",
  ByteId: "byte_id",
  IntId: "int_id",
  TS_hour: "ts_hour",
  Poi$: "poi2$",
};

/** All rows of a deployment by table, in the order of their vids. */
export async function rowsOf(
  database: Database,
  deployment: string,
): Promise<ReadonlyMap<string, readonly Record<string, unknown>[]>> {
  const found = await findDeployment(database, deployment);
  if (!found) return new Map();
  const rows = new Map<string, readonly Record<string, unknown>[]>();
  for (const { type, name } of storedTables(layoutOf(found), true)) {
    const read = await database.query(SQL`select to_jsonb(t)::text as row from ${name} t order by vid`);
    rows.set(
      type,
      read.map(({ row }) => JSON.parse(row ?? "")),
    );
  }
  return rows;
}

/**
 * The rows that graph-node had, in the form of `rowsOf`, without the lexemes of searches: in graph-node, the order of their
 * fields is random.
 * @param namespace where the tables of the dump are
 * @param dump which one; by default the one with a full and an incremental part
 */
export async function recordedRows(
  database: Database,
  namespace: string,
  dump: DumpName = "kinds",
): Promise<ReadonlyMap<string, readonly Record<string, unknown>[]>> {
  const tables = JSON.parse(readFileSync(join(recordings, "rows.json"), "utf8"))[dump];
  const rows = new Map<string, readonly Record<string, unknown>[]>();
  for (const [table, own] of Object.entries(tables)) {
    const read = await database.query(
      SQL`select to_jsonb(t)::text as row from jsonb_populate_recordset(null::${quoteNames(namespace, table)}, $1::jsonb) t
        order by vid`,
      [JSON.stringify(own)],
    );
    rows.set(
      table,
      read.map(({ row }) => withoutSearch(JSON.parse(row ?? ""))),
    );
  }
  return rows;
}

export function withoutSearch({ search: _, ...row }: Record<string, unknown>): Record<string, unknown> {
  return row;
}

/** Copies a recorded dump, whose files may build on those of `kinds`. @returns the folder */
export function dumpNamed(name: DumpName): string {
  const copy = join(testFolder(), "dump");
  if (name.startsWith("kinds")) cpSync(recorded, copy, { recursive: true });
  if (name !== "kinds") cpSync(join(recordings, name), copy, { recursive: true });
  return copy;
}

/** The tables whose rows are not those that graph-node had. */
export async function differing(
  database: Database,
  dump: DumpName,
  shown: (row: Record<string, unknown>) => unknown = (row) => row,
): Promise<readonly string[]> {
  const deployment = deployments[dump];
  const found = await findDeployment(database, deployment);
  const expected = await recordedRows(database, found?.namespace ?? "", dump);
  const rows = await rowsOf(database, deployment);
  expect(rows.size).toBe(expected.size);
  return [...rows]
    .filter(([type, own]) => {
      const wanted = expected.get(sqlNames[type] ?? type.toLowerCase());
      return !isDeepStrictEqual(own.map(withoutSearch).map(shown), wanted?.map(shown));
    })
    .map(([type]) => type);
}

/** Makes the catalog of a graph-node that has a chain, until the end of the test. */
export async function withCatalog(database: Database): Promise<void> {
  onTestFinished(() =>
    database.run(
      SQL`drop schema if exists subgraphs cascade; drop table if exists public.deployment_schemas, public.chains`,
    ),
  );
  await database.run(SQL`${uncheckedSql(readFileSync(join(recordings, "catalog.sql"), "utf8"))}`);
  await database.run(
    SQL`insert into public.chains (name, net_version, genesis_block_hash, shard) values ('mainnet', '1', '00', 'primary')`,
  );
}

/** Makes a graph-node's catalog with the recorded deployment, until the end of the test. @param namespace of its tables */
export async function makeCatalog(database: Database, namespace: string): Promise<void> {
  onTestFinished(() =>
    database.run(SQL`drop schema subgraphs cascade; drop table public.deployment_schemas`),
  );
  await database.run(SQL`
    create schema subgraphs;
    create table public.deployment_schemas (id integer, subgraph text, name text, network text, active boolean);
    create table subgraphs.deployment (id integer, earliest_block_number integer, health text, graft_base text,
      graft_block_hash bytea, graft_block_number integer, debug_fork text);
    create table subgraphs.head (id integer, entity_count bigint, block_number integer, block_hash bytea);
    create table subgraphs.subgraph_manifest (id integer, spec_version text, description text, repository text, schema text,
      features text[], start_block_number integer, start_block_hash bytea, raw_yaml text,
      entities_with_causality_region text[], history_blocks integer);
    create table subgraphs.subgraph (id text, name text, current_version text);
    create table subgraphs.subgraph_version (id text, deployment text);
    insert into subgraphs.deployment values (7, 0, 'healthy');
    insert into subgraphs.subgraph values ('s', 'named/kinds', 'v')`);
  const { metadata } = await judgeDump(openDumpFiles(recorded));
  const texts = await Promise.all(
    ["schema.graphql", "subgraph.yaml"].map((name) => readFile(join(recorded, name), "utf8")),
  );
  await database.query(SQL`insert into subgraphs.subgraph_version values ('v', $1::text)`, [kinds]);
  await database.query(
    SQL`insert into public.deployment_schemas values (7, $1::text, $2::text, 'mainnet', true)`,
    [kinds, namespace],
  );
  await database.query(
    SQL`insert into subgraphs.head values (7, $1::bigint, $2::integer, decode($3::text, 'hex'))`,
    [String(metadata.entityCount), String(metadata.head?.number), metadata.head?.hash.slice(2) ?? null],
  );
  await database.query(
    SQL`insert into subgraphs.subgraph_manifest values (7, '1.3.0', 'kinds', 'https://example.org/r', $1::text,
      '{fullTextSearch}', null, null, $2::text, '{File}', 2147483647)`,
    texts,
  );
}

/** Copies the recorded dump. @returns the new folder */
export function copyRecorded(folder: string): string {
  const copy = join(folder, "dump");
  cpSync(recorded, copy, { recursive: true });
  return copy;
}

export const schema = `
  type Token @entity { id: ID! name: String! }
  type Note @entity(immutable: true) { id: Bytes! body: String }
  type Tick @entity(timeseries: true) { id: Int8! timestamp: Timestamp! n: BigInt! }
  type Count @aggregation(intervals: ["hour"], source: "Tick") {
    id: Int8! timestamp: Timestamp! n: BigInt! @aggregate(fn: "sum", arg: "n")
  }
`;
/** A deployment that these tests index themselves. */
export const deployment = "QmOwn";

export const blockAt = (number: number): WrittenBlock => ({
  number,
  hash: `0x${String(number).padStart(64, "0")}`,
  timestamp: BigInt(number) * 3600n,
});

export async function openOwn(database: Database): Promise<Store> {
  const manifest = { specVersion: "1.3.0", features: [], description: "own" };
  const own = { deployment, network: "mainnet", schema, startBlock: 2, sourceNames: ["Source", "Pool"] };
  const found = await openDeployment(database, { ...own, proofVariant: "fast", manifest });
  const sources = { dataSources: [1], templates: [{ name: "Pool" }] };
  return openStore(database, found, { entities: readEntitySchema(schema), ...sources });
}

/** Writes a block that changes, adds and removes entities. */
async function commit(store: Store, number: number): Promise<void> {
  const id = BigInt(number) << 32n;
  const time = timestamp(BigInt(number) * 3_600_000_000n);
  await store.commit(blockAt(number), {
    changes: [
      set("Token", "a", { name: text(`a"${number}\\`) }),
      set("Token", `t${number}`, { name: text("é") }),
      ...(number > 2 ? [remove("Token", `t${number - 1}`)] : []),
      set("Note", `0x0${number}`, { id: { kind: "Bytes", value: `0x0${number}` } }),
      set("Tick", String(id), { id: int8(id), timestamp: time, n: { kind: "BigInt", value: 10n ** 60n } }),
    ],
    dataSources: [{ template: "Pool", address: `0x0${number}`, creationBlock: number }],
    proofDigest: new Uint8Array(32).fill(number),
  });
}

/** Indexes blocks. */
export async function indexed(database: Database, ...blocks: readonly number[]): Promise<void> {
  const store = await openOwn(database);
  for (const number of blocks) await commit(store, number);
}

/** Fails at the given call of the files that change something, as a process that is killed there. */
export function killedAt(files: DumpFiles, call: number): DumpFiles {
  let left = call;
  const die = (): void => {
    left -= 1;
    if (left < 0) throw new Error("killed");
  };
  return {
    ...files,
    write: async (path, content) => {
      die();
      const pieces = content instanceof Uint8Array ? [content] : content;
      const dying = async function* (): AsyncGenerator<Uint8Array> {
        for await (const piece of pieces) {
          die();
          yield piece;
        }
      };
      await files.write(path, dying());
    },
    remove: async (path) => {
      die();
      await files.remove(path);
    },
  };
}
