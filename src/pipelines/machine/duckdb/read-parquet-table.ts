import { literal, quoted } from "../../../base/text/sql-quotes.js";
import { createInMemory } from "./create-in-memory.js";
import { loadDuckDb } from "./load-duckdb.js";

/** The limits for reading a file. */
export interface ParquetLimits {
  readonly rows: number;
  /** Characters of all values. */
  readonly characters: number;
}

/** A Parquet file that cannot be read, or that has too much. The message is a sentence. */
export class ParquetError extends Error {
  override readonly name = "ParquetError";
}

/** Megabytes of memory for the database. */
const memory = 512;

/**
 * Reads a Parquet file whose columns are numbers, texts, booleans, times or bytes, as texts: numbers as
 * decimal digits, times in RFC 3339 and UTC, bytes as 0x and hex digits.
 * @param path absolute
 * @returns rows by the names of their columns, without nulls
 * @throws PackageMissingError; ParquetError
 */
export async function readParquetTable(
  path: string,
  limits: ParquetLimits,
): Promise<readonly Readonly<Record<string, string>>[]> {
  const duckdb = await loadDuckDb("Parquet");
  const instance = await createInMemory(duckdb, { memory });
  const connection = await instance.connect();
  try {
    for (const setting of [
      "timezone = 'UTC'",
      `allowed_paths = [${literal(path)}]`,
      "enable_external_access = false",
      "lock_configuration = true",
    ])
      await connection.run(`set ${setting}`);
    // A name with an asterisk is safe here, since only this one path is allowed.
    const file = `read_parquet(${literal(path)}, hive_partitioning = false)`;
    const columns = (await connection.runAndReadAll(`describe select * from ${file}`)).getRowObjectsJS();
    const texts = columns.map(({ column_name: name, column_type: type }) =>
      asText(quoted(String(name)), String(type)),
    );
    const rows: Record<string, string>[] = [];
    let characters = 0;
    for await (const part of await connection.stream(`select ${texts.join(", ")} from ${file}`))
      for (const values of part.getRows()) {
        const fields = values.flatMap((value, index) =>
          value === null ? [] : [[String(columns[index]?.column_name), String(value)] as const],
        );
        characters += fields.reduce((sum, [, value]) => sum + value.length, 0);
        if (rows.push(Object.fromEntries(fields)) > limits.rows || characters > limits.characters)
          throw new ParquetError(
            `It has more than ${limits.rows} rows, or too long ones. Import it in parts.`,
          );
      }
    return rows;
  } catch (error) {
    if (error instanceof ParquetError) throw error;
    const [reason = ""] = (error as Error).message.split("\n");
    throw new ParquetError(`It is not a Parquet file that can be read: ${reason}.`, { cause: error });
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

function asText(column: string, type: string): string {
  if (type === "BLOB") return `'0x' || lower(hex(${column}))`;
  if (type.startsWith("TIMESTAMP")) return `strftime(${column}::timestamp, '%Y-%m-%dT%H:%M:%SZ')`;
  return `${column}::varchar`;
}
