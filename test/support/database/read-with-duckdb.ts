import { loadDuckDb } from "../../../src/pipelines/machine/duckdb/load-duckdb.js";

/**
 * The rows of Parquet files as DuckDB reads them: 64-bit integers as bigints, lists as arrays.
 * @param pattern a glob
 * @param arePartitioned whether names of folders hold columns, as texts
 */
export async function readWithDuckDb(
  pattern: string,
  arePartitioned = false,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const { DuckDBInstance } = await loadDuckDb("Parquet");
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const sql = `SELECT * FROM read_parquet('${pattern.replaceAll("'", "''")}', hive_partitioning = ${arePartitioned}, hive_types_autocast = false)`;
    return await (await connection.runAndReadAll(sql)).getRowObjectsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
