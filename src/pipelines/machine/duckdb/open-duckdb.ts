import { temporaryFolder } from "../../../machine/files/temporary-folder.js";
import type { SqlEngine } from "../../sql/engine.js";
import { integerOperators } from "../../sql/integers.js";
import { createInMemory } from "./create-in-memory.js";
import { DuckDbEngine } from "./duckdb-engine.js";
import { loadDuckDb } from "./load-duckdb.js";
import { openRowStore } from "./row-store.js";

/** The limits of a pipeline's queries. */
export interface SqlLimits {
  /** Megabytes of memory. */
  readonly memory: number;
  /** The most milliseconds that a query may take. */
  readonly time: number;
  /**
   * Gigabytes of a private folder for data that does not fit into memory; without it, a query that needs more fails.
   */
  readonly disk?: number;
}

/** From this many megabytes on, two databases compute stored rows side by side. Each takes about 200 for its rows. */
const memoryForTwo = 1_024;

/**
 * Rows of a batch for each megabyte. A few batches are in memory at once, and their rows take about 400 bytes each.
 */
const rowsPerMegabyte = 250;

/**
 * Opens a database in memory that reaches no file, no network and no extension.
 * @throws PackageMissingError
 */
export async function openDuckDb({ memory, time, disk }: SqlLimits): Promise<SqlEngine> {
  const duckdb = await loadDuckDb("SQL");
  const folder = disk === undefined ? undefined : temporaryFolder("job");
  const instance = await createInMemory(duckdb, { memory, folder: folder?.path, disk });
  const connection = await instance.connect();
  // Times are in UTC, wherever this runs.
  for (const setting of [
    "timezone = 'UTC'",
    "enable_external_access = false",
    // A join that looks rows up keeps the order of its left side. A job may join in the best order.
    ...(disk === undefined ? ["disabled_optimizers = 'join_order,build_side_probe_side'"] : []),
    "lock_configuration = true",
  ])
    await connection.run(`set ${setting}`);
  const stored = {
    open: () => openRowStore(duckdb, memory),
    atOnce: memory >= memoryForTwo ? 2 : 1,
    most: memory * rowsPerMegabyte,
  };
  const engine = new DuckDbEngine(duckdb, instance, connection, time, stored, () => folder?.remove());
  for (const operator of integerOperators) await engine.define(operator);
  return engine;
}
