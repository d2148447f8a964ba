import type { SqlEngine } from "../../flows/sql/engine.js";
import { integerOperators } from "../../flows/sql/integers.js";
import { optionalPackage } from "../optional-package.js";
import { DuckDbEngine } from "./duckdb-engine.js";
import { openRowStore } from "./row-store.js";

/** What the queries of a flow may use. */
export interface SqlLimits {
  /** Megabytes of memory. */
  readonly memory: number;
  /** Milliseconds that a query may take. */
  readonly time: number;
}

/**
 * Opens a database in memory that reaches no file, no network and no extension.
 * @throws PackageMissingError
 */
export async function openDuckDb({ memory, time }: SqlLimits): Promise<SqlEngine> {
  const duckdb = await optionalPackage("SQL", "@duckdb/node-api", () => import("@duckdb/node-api"));
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    memory_limit: `${memory}MB`,
    // Without a folder for temporary files, a query that needs more memory ends.
    temp_directory: "",
    threads: "1",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  for (const setting of ["enable_external_access = false", "lock_configuration = true"])
    await connection.run(`set ${setting}`);
  const engine = new DuckDbEngine(duckdb, instance, connection, time, () => openRowStore(duckdb, memory));
  for (const operator of integerOperators) engine.define(operator);
  return engine;
}
