import type { DuckDBInstance } from "@duckdb/node-api";

/** What a database may take. */
export interface InMemoryLimits {
  /** Megabytes. */
  readonly memory: number;
  /** Where it may write what does not fit into memory, and how many gigabytes; nowhere by default. */
  readonly folder?: string | undefined;
  readonly disk?: number | undefined;
}

/** Creates a database in memory that has one thread, and that never brings extensions. */
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
