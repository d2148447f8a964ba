import type {
  DuckDBAppender,
  DuckDBConnection,
  DuckDBDataChunk,
  DuckDBInstance,
  DuckDBValue,
} from "@duckdb/node-api";
import { literal, quoted } from "../../base/sql-quotes.js";
import type { FlowValue, Rows } from "../../flows/changes/rows.js";
import type { FlowColumn } from "../../flows/changes/schema.js";
import type { CopyForm, StoredRows } from "../../flows/changes/stored-rows.js";
import { StoredReadError } from "../../flows/sql/engine.js";
import { rowHashSql } from "../../flows/sql/row-hash-sql.js";
import { flowValue, keptTypes } from "./column-forms.js";

type DuckDb = typeof import("@duckdb/node-api");

/** Chunks of a piece: about 50,000 rows. */
const pieceChunks = 25;

/** Takes rows that are being gathered. */
export interface Gathering {
  /** Adds rows, which have the types of the columns. */
  add(chunk: DuckDBDataChunk): void;
}

/** Opens the database of stored rows. @param memory megabytes */
export async function openRowStore(duckdb: DuckDb, memory: number): Promise<RowStore> {
  const instance = await duckdb.DuckDBInstance.create(":memory:", {
    memory_limit: `${memory}MB`,
    temp_directory: "",
    threads: "2",
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connect = async (): Promise<DuckDBConnection> => {
    const connection = await instance.connect();
    // Times are in UTC, wherever this runs.
    await connection.run("set timezone = 'UTC'");
    // The side of a join whose order is kept is the left one.
    await connection.run("set disabled_optimizers = 'join_order,build_side_probe_side'");
    return connection;
  };
  return new RowStore(duckdb, instance, await connect(), await connect(), connect);
}

/**
 * Rows by column outside of this process's own memory, and files. It is a database of its own, in which nothing runs that
 * a user has written. Chunks of rows come from other databases and go to them as they are.
 */
export class RowStore {
  readonly #duckdb: DuckDb;
  readonly #instance: DuckDBInstance;
  /** A connection runs one statement at a time. */
  readonly #reading: DuckDBConnection;
  readonly #writing: DuckDBConnection;
  readonly #connect: () => Promise<DuckDBConnection>;
  #tables = 0;

  constructor(
    duckdb: DuckDb,
    instance: DuckDBInstance,
    reading: DuckDBConnection,
    writing: DuckDBConnection,
    connect: () => Promise<DuckDBConnection>,
  ) {
    this.#duckdb = duckdb;
    this.#instance = instance;
    this.#reading = reading;
    this.#writing = writing;
    this.#connect = connect;
  }

  /** The rows of a query in pieces. The next piece is read while one is taken. @throws StoredReadError */
  async *read(query: string): AsyncGenerator<readonly DuckDBDataChunk[], void, void> {
    const result = await this.#reading.stream(query).catch(unread);
    const piece = async (): Promise<readonly DuckDBDataChunk[]> => {
      const chunks: DuckDBDataChunk[] = [];
      while (chunks.length < pieceChunks) {
        const chunk = await result.fetchChunk().catch(unread);
        if (!chunk || chunk.rowCount === 0) break;
        chunks.push(chunk);
      }
      return chunks;
    };
    let next = piece();
    for (;;) {
      const chunks = await next;
      if (chunks.length === 0) return;
      next = piece();
      // Awaited above; until then a failure must not count as unhandled.
      next.catch(() => undefined);
      yield chunks;
    }
  }

  /**
   * Gathers rows.
   * @param key names of columns
   * @param fill adds all of them
   * @throws StoredReadError if they are too many; what `fill` throws
   */
  async gather(
    columns: readonly FlowColumn[],
    key: readonly string[],
    fill: (gathering: Gathering) => Promise<void>,
  ): Promise<StoredRows> {
    this.#tables += 1;
    const table = `rows_${this.#tables}`;
    const types = columns.map(({ name, type }) => `${quoted(name)} ${keptTypes[type]}`);
    await this.#writing.run(`create table ${table} (${types.join(", ")})`);
    try {
      const appender = await this.#writing.createAppender(table);
      try {
        await fill({ add: (chunk) => append(appender, chunk) });
      } finally {
        close(appender);
      }
      return await this.#described(table, columns, key);
    } catch (error) {
      await this.#writing.run(`drop table ${table}`);
      throw error;
    }
  }

  close(): void {
    this.#reading.closeSync();
    this.#writing.closeSync();
    this.#instance.closeSync();
  }

  async #described(
    table: string,
    columns: readonly FlowColumn[],
    key: readonly string[],
  ): Promise<StoredRows> {
    const keyHash = `hash(${key.map((name) => keyValue(columns, name)).join(", ")})`;
    const [row] = await this.#rows(
      `select count(*), sum((hash & 18446744073709551615::UHUGEINT)::HUGEINT), sum((hash >> 64)::HUGEINT),
        ${key.length === 0 ? "count(*)" : `count(distinct ${keyHash})`}
      from (select ${rowHashSql(columns)} as hash, * from ${table})`,
    );
    const [count, low, high, keys] = (row ?? []).map((value) => BigInt((value ?? 0) as bigint));
    return {
      count: Number(count),
      sum: BigInt.asUintN(128, (low ?? 0n) + ((high ?? 0n) << 64n)),
      // Two keys with the same hash count as one, which only costs time.
      isUnique: keys === count,
      rows: () => this.#values(table, columns.length),
      copyTo: async (path, form) => {
        // A connection of its own: other rows are gathered meanwhile.
        const connection = await this.#connect();
        try {
          await connection.run(copySql(table, columns, path, form));
        } finally {
          connection.closeSync();
        }
      },
      arrays: (names, size) => this.#arrays(table, names, { count: Number(count), size }),
      drop: async () => {
        await this.#writing.run(`drop table ${table}`);
      },
    };
  }

  async #values(table: string, width: number): Promise<Rows> {
    const read = await this.#writing.runAndReadAll(`select * from ${table}`);
    const columns = read.getColumns().map((values) => values.map((value) => flowValue(this.#duckdb, value)));
    return {
      count: read.currentRowCount,
      columns: Array.from({ length: width }, (_, index): readonly FlowValue[] => columns[index] ?? []),
    };
  }

  /** Rows that were appended have numbers from 0 on. */
  async *#arrays(
    table: string,
    names: readonly string[],
    { count, size }: { readonly count: number; readonly size: number },
  ): AsyncGenerator<readonly string[], void, void> {
    const connection = await this.#connect();
    try {
      const values = names.map((name) => `'{' || string_agg(${arrayItem(quoted(name))}, ',') || '}'`);
      for (let start = 0; start < count; start += size) {
        const read = await connection.runAndReadAll(
          `select ${values.join(", ")} from ${table} where rowid >= ${start} and rowid < ${start + size}`,
        );
        yield (read.getRows()[0] ?? []) as string[];
      }
    } finally {
      connection.closeSync();
    }
  }

  async #rows(sql: string): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#writing.runAndReadAll(sql)).getRows();
  }
}

/** An item of an array literal. */
function arrayItem(column: string): string {
  const text = String.raw`replace(replace(${column}::VARCHAR, '\', '\\'), '"', '\"')`;
  return `coalesce('"' || ${text} || '"', 'NULL')`;
}

/** An expression whose value is equal for equal keys. */
function keyValue(columns: readonly FlowColumn[], name: string): string {
  const column = quoted(name);
  // Zero and minus zero are the same key.
  return columns.find((one) => one.name === name)?.type === "DOUBLE" ? `${column} + 0.0` : column;
}

function copySql(table: string, columns: readonly FlowColumn[], path: string, { about }: CopyForm): string {
  const values = columns.map(({ name, type }) => {
    const column = quoted(name);
    return type === "TIMESTAMP" ? `make_timestamp(${column})::TIMESTAMPTZ as ${column}` : column;
  });
  const metadata = Object.entries(about).map(([key, value]) => `${literal(key)}: ${literal(value)}`);
  return `copy (select ${values.join(", ")} from ${table}) to ${literal(path)}
    (format parquet, compression snappy, kv_metadata {${metadata.join(", ")}})`;
}

/** @throws StoredReadError if there is no room for the rows */
function append(appender: DuckDBAppender, chunk: DuckDBDataChunk): void {
  try {
    appender.appendDataChunk(chunk);
  } catch (error) {
    unread(error);
  }
}

function close(appender: DuckDBAppender): void {
  try {
    appender.closeSync();
  } catch (error) {
    unread(error);
  }
}

function unread(error: unknown): never {
  throw new StoredReadError(error instanceof Error ? error.message : String(error), { cause: error });
}
