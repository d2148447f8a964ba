import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "../../../src/store/database/database.js";
import { quoteNames } from "../../../src/store/database/quote.js";
import { openDatabase } from "../../../src/store/open.js";
import { world } from "../../support/database/databases.js";
import { type Sample as Metric, readExposition, sampleValue } from "../../support/server/exposition.js";
import type { Served } from "./served.js";

/** The resources that a running server uses at a moment. */
export interface SoakSample {
  /** Seconds since the start. */
  readonly seconds: number;
  /** The lowest block of all deployments. */
  readonly block: number;
  /** Deliveries that were accepted. */
  readonly delivered: number;
  /** Bytes of memory: of the process, and of its main thread. */
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
  /** Bytes on disk: of the whole database, and of its log. */
  readonly disk: number;
  readonly log: number;
  /** Rows, which only a database with an address reports. */
  readonly rows: Readonly<Record<string, number>>;
  /** Milliseconds of the queries since the previous sample. */
  readonly queryMedian: number;
  readonly queryWorst: number;
}

/** The place of a database. */
export interface SoakedDatabase {
  /** The folder with the files of PostgreSQL or PGlite. */
  readonly folder: string;
  /** Its address, if other clients can connect. */
  readonly address?: string;
}

/** Samples a server. @param times milliseconds of the queries since the previous sample */
export async function takeSample(
  served: Served,
  database: SoakedDatabase,
  seconds: number,
  times: readonly number[],
): Promise<SoakSample> {
  const metrics = readExposition(await (await served.ask("/metrics")).text());
  const value = (name: string): number => sampleValue(metrics, name) ?? 0;
  const sorted = times.toSorted((a, b) => a - b);
  return {
    seconds: Math.round(seconds),
    block: Math.min(...valuesOf(metrics, "graphloom_deployment_head_block")),
    delivered: metrics
      .filter(
        ({ name, labels }) => name === "graphloom_webhook_deliveries_total" && labels.outcome === "delivered",
      )
      .reduce((sum, { value }) => sum + value, 0),
    resident: residentOf(served.child.pid),
    heap: value("nodejs_heap_size_used_bytes"),
    external: value("nodejs_external_memory_bytes"),
    disk: bytesIn(database.folder),
    log: bytesIn(join(database.folder, "pg_wal")),
    rows: database.address === undefined ? {} : await rowsIn(database.address),
    queryMedian: Math.round(sorted[sorted.length >> 1] ?? 0),
    queryWorst: Math.round(sorted.at(-1) ?? 0),
  };
}

/** Number of rows in the tables whose rows are written and deleted again. */
export async function rowsIn(place: string): Promise<Readonly<Record<string, number>>> {
  const database = await openDatabase(place, world);
  try {
    const tables = await database.query(
      SQL`select schemaname as schema, relname as name, pg_total_relation_size(relid) as bytes from pg_stat_user_tables
        where relname = 'changes$' or (schemaname = 'graphloom' and relname in
          ('webhook_events', 'recent_blocks', 'sessions', 'logs', 'audit'))`,
    );
    const rows: Record<string, number> = {};
    for (const { schema, name } of tables) {
      const [counted] = await database.query(
        SQL`select count(*) as rows from ${quoteNames(schema ?? "", name ?? "")}`,
      );
      rows[`${name}`] = (rows[`${name}`] ?? 0) + Number(counted?.rows);
    }
    return rows;
  } finally {
    await database.close();
  }
}

function valuesOf(metrics: readonly Metric[], wanted: string): readonly number[] {
  return metrics.filter(({ name }) => name === wanted).map(({ value }) => value);
}

/** Bytes of memory that a process uses. */
function residentOf(pid: number | undefined): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}

/** Bytes of all files below a folder; files that disappear meanwhile do not count. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, name) => {
    const file = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return sum + (file?.isFile() ? file.size : 0);
  }, 0);
}
