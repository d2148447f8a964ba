import type { DuckDBInstance } from "@duckdb/node-api";

/** The limits of a database. */
export interface InMemoryLimits {
  /** Megabytes. */
  readonly memory: number;
  /** A folder for data that does not fit into memory, and its limit in gigabytes; none by default. */
  readonly folder?: string | undefined;
  readonly disk?: number | undefined;
}

/** Creates a database in memory with one thread, which never downloads extensions. */
export function createInMemory(
  duckdb: typeof import("@duckdb/node-api"),
  { memory, folder = "", disk }: InMemoryLimits,
): Promise<DuckDBInstance> {
  return duckdb.DuckDBInstance.create(":memory:", {
    memory_limit: `${memory}MB`,
    temp_directory: folder,
    ...(disk !== undefined && { max_temp_directory_size: `${disk}GB` }),
    threads: "1",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
}
