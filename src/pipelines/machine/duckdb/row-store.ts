import { randomUUID } from "node:crypto";
import { constants, copyFile, open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { messageOf } from "../../../base/text/message-of.js";
import { literal, quoted } from "../../../base/text/sql-quotes.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import { type TemporaryFolder, temporaryFolder } from "../../../machine/files/temporary-folder.js";
import type { Rows, RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type {
  ColumnLimit,
  CopyForm,
  CsvForm,
  StoredFacts,
  StoredQuery,
  StoredRows,
} from "../../changes/stored-rows.js";
import { StoredReadError } from "../../sql/engine.js";
import { type FilledColumn, isText, rowHashSql } from "../../sql/row-hash-sql.js";
import type { AddedFunction } from "../../sql/sql-function.js";
import {
  countsSql,
  keptTypes,
  rowValue,
  schemaOf,
  storage,
  storedName,
  storedTypes,
  tableName,
} from "./column-forms.js";
import { createInMemory } from "./create-in-memory.js";
import { withinSql } from "./limits-sql.js";
import { createLookupTable, type LookupTableDefinition } from "./lookup-table.js";
import { addFunction } from "./scalar-function.js";

type DuckDb = typeof import("@duckdb/node-api");

/** A definition in a pipeline's database, apart from rows. */
export type Definition =
  | { readonly kind: "function"; readonly added: AddedFunction }
  | { readonly kind: "table"; readonly name: string; readonly columns: readonly RowColumn[] }
  | LookupTableDefinition
  | ViewDefinition;

/** A view, or its replacement. */
export interface ViewDefinition {
  readonly kind: "view";
  readonly name: string;
  readonly query: string;
  /** Names of its columns; without them, the query names them. */
  readonly names: readonly string[];
}

/** The statement that creates a view. DuckDB reports positions relative to the query. */
export function viewSql({ name, query, names }: ViewDefinition): string {
  const columns = names.length === 0 ? "" : ` (${names.map(quoted).join(", ")})`;
  // The query begins on a new line, and a line break ends a comment at its end.
  return `create or replace view ${tableName(name)}${columns} as\n${query}\n`;
}

export interface StoredComputation {
  readonly given: StoredQuery;
  /** The table that the rows belong to. */
  readonly table: string;
  /** The query whose result is kept. */
  readonly reading: string;
  readonly columns: readonly RowColumn[];
  /** Names of columns. */
  readonly key: readonly string[];
  /** The most milliseconds that it may take. */
  readonly time: number;
}

/** Opens the database of stored rows. @param memory megabytes */
export async function openRowStore(duckdb: DuckDb, memory: number): Promise<RowStore> {
  const folder = temporaryFolder("rows");
  try {
    // Rows are computed and given side by side, each by the thread that asks. More threads would wait for each other.
    const instance = await createInMemory(duckdb, { memory });
    const making = await instance.connect();
    for (const setting of [
      // A join keeps the order of its left side.
      "global disabled_optimizers = 'join_order,build_side_probe_side'",
      // Times are in UTC, wherever this runs.
      "global timezone = 'UTC'",
      `global allowed_directories = [${literal(`${folder.path}/`)}]`,
      "global enable_external_access = false",
      "global lock_configuration = true",
    ])
      await making.run(`set ${setting}`);
    for (const schema of [nothing, storage, computed]) await making.run(`create schema ${quoted(schema)}`);
    return new RowStore(duckdb, instance, making, await instance.connect(), folder);
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** Where the tables are that are empty but for stored rows. */
const nothing = "graphloom$nothing";

/** Where rows are that were computed. */
const computed = "graphloom$rows";

/**
 * Rows by column outside of this process's own memory, and the queries of a pipeline that compute them from files. It
 * is a separate database. It reaches only files in a private folder: input is copied there, and output is moved from
 * there.
 */
export class RowStore {
  readonly #duckdb: DuckDb;
  readonly #instance: DuckDBInstance;
  /** A connection runs one statement at a time. This one computes rows. */
  readonly #making: DuckDBConnection;
  /** This database is delivering computed rows. */
  readonly #giving: DuckDBConnection;
  readonly #folder: TemporaryFolder;
  /** A table has the rows of one computation at a time. */
  readonly #turns = new Semaphore(1);
  /** Copies of files that are read, by their own paths. */
  readonly #copies = new Map<string, string>();
  #tables = 0;

  constructor(
    duckdb: DuckDb,
    instance: DuckDBInstance,
    making: DuckDBConnection,
    giving: DuckDBConnection,
    folder: TemporaryFolder,
  ) {
    this.#duckdb = duckdb;
    this.#instance = instance;
    this.#making = making;
    this.#giving = giving;
    this.#folder = folder;
  }

  /** Adds what queries of the pipeline read and call. */
  async define(definition: Definition): Promise<void> {
    if (definition.kind === "function") {
      await addFunction(this.#duckdb, this.#making, definition.added);
      return;
    }
    const { name } = definition;
    const schema = schemaOf(name);
    if (schema !== undefined) await this.#making.run(`create schema if not exists ${quoted(schema)}`);
    if (definition.kind === "view") {
      await this.#making.run(viewSql(definition));
      return;
    }
    if (definition.kind === "lookup") {
      await createLookupTable(this.#duckdb, this.#making, definition);
      return;
    }
    const columns = definition.columns.map((column) => `${quoted(column.name)} ${storedTypes[column.type]}`);
    await this.#making.run(`create table ${emptyName(name)} (${columns.join(", ")})`);
    await this.#making.run(`create view ${storedName(name)} as select * from ${emptyName(name)}`);
  }

  /**
   * Computes a query over stored rows, while all other tables are empty.
   * @throws StoredReadError
   */
  async compute(computation: StoredComputation): Promise<StoredRows> {
    const { given, table, reading, columns, key, time } = computation;
    const types = columns.map(({ name, type }) => `${quoted(name)}::${keptTypes[type]} as ${quoted(name)}`);
    const made = `select ${types.join(", ")} from (${reading})`;
    return this.#over(given, table, () =>
      this.#table(columns, key, (to) =>
        this.#within(time, () => this.#making.run(`create table ${to} as ${made}`)),
      ),
    );
  }

  /**
   * Counts the rows of tables and views as `compute` would compute them.
   * @param time the most milliseconds that it may take
   * @throws StoredReadError
   */
  counts(
    given: StoredQuery,
    table: string,
    names: readonly string[],
    time: number,
  ): Promise<ReadonlyMap<string, number>> {
    return this.#over(given, table, async () => {
      const read = await this.#within(time, () => this.#making.runAndReadAll(countsSql(names)));
      return new Map(read.getRows().map(([name, count]) => [String(name), Number(count)]));
    });
  }

  /** Does something while a table has stored rows, and all others are empty. @throws StoredReadError */
  #over<Result>(given: StoredQuery, table: string, work: () => Promise<Result>): Promise<Result> {
    return this.#turns.run(() => this.#having(given, table, work));
  }

  async #having<Result>(given: StoredQuery, table: string, work: () => Promise<Result>): Promise<Result> {
    const place = storedName(table);
    try {
      const copies = await this.#copied(given.files);
      const query = given.query((path) => copies.get(path) ?? path);
      await this.#making.run(`create or replace view ${place} as ${query}`);
      try {
        return await work();
      } finally {
        await this.#making.run(`create or replace view ${place} as select * from ${emptyName(table)}`);
      }
    } catch (error) {
      throw unread(error);
    }
  }

  close(): void {
    this.#making.closeSync();
    this.#giving.closeSync();
    this.#instance.closeSync();
    this.#folder.remove();
  }

  /** Fills a new table, and returns facts about its content. If that fails, the table is removed. */
  async #table(
    columns: readonly RowColumn[],
    key: readonly string[],
    fill: (table: string) => Promise<unknown>,
  ): Promise<StoredRows> {
    this.#tables += 1;
    const table = `${quoted(computed)}.rows_${this.#tables}`;
    try {
      await fill(table);
    } catch (error) {
      await this.#making.run(`drop table if exists ${table}`);
      throw error;
    }
    const [[count] = []] = await this.#rows(`select count(*) from ${table}`);
    return this.#rowsOf(table, Number(count), columns, key);
  }

  /** Copies files into the private folder, and removes copies of others. */
  async #copied(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
    for (const [path, copy] of this.#copies)
      if (!files.includes(path)) {
        this.#copies.delete(path);
        await rm(copy, { force: true });
      }
    for (const path of files) {
      if (this.#copies.has(path)) continue;
      const copy = join(this.#folder.path, `${randomUUID()}.parquet`);
      await copyFile(path, copy, constants.COPYFILE_FICLONE);
      this.#copies.set(path, copy);
    }
    return this.#copies;
  }

  async #within<Result>(time: number, run: () => Promise<Result>): Promise<Result> {
    const timer = setTimeout(() => this.#making.interrupt(), time);
    try {
      return await run();
    } finally {
      clearTimeout(timer);
    }
  }

  #rowsOf(table: string, count: number, columns: readonly RowColumn[], key: readonly string[]): StoredRows {
    let facts: Promise<StoredFacts> | undefined;
    return {
      count,
      facts: () => {
        facts ??= this.#facts(table, columns, key);
        return facts;
      },
      isWithin: (limits) => this.#isWithin(table, limits),
      rows: () => this.#values(table, columns.length),
      valuesOf: async (names, most) => {
        const read = await this.#rows(
          `select distinct ${names.map(quoted).join(", ")} from ${table} limit ${most}`,
        );
        return read.map((row) => row.map((value) => rowValue(this.#duckdb, value)));
      },
      copyTo: async (path, form) => {
        const draft = join(this.#folder.path, randomUUID());
        try {
          await this.#giving.run(copySql(table, columns, draft, form));
          await move(draft, path);
        } finally {
          await rm(draft, { force: true });
        }
      },
      csv: (names, form = {}) => this.#csv(table, columns, names, form),
      arrays: (names, size) => this.#arrays(table, names, size),
      drop: async () => {
        await this.#giving.run(`drop table ${table}`);
      },
    };
  }

  async #facts(table: string, columns: readonly RowColumn[], key: readonly string[]): Promise<StoredFacts> {
    const keyHash = `hash(${key.map((name) => keyValue(columns, name)).join(", ")})`;
    try {
      const filled = await this.#filled(table, columns);
      const [row] = await this.#rows(
        `select count(*), sum((hash & 18446744073709551615::UHUGEINT)::HUGEINT), sum((hash >> 64)::HUGEINT),
          ${key.length === 0 ? "count(*)" : `count(distinct ${keyHash})`}
        from (select ${rowHashSql(columns, filled)} as hash, * from ${table})`,
      );
      const [count, low, high, keys] = (row ?? []).map((value) => BigInt((value ?? 0) as bigint));
      return {
        count: Number(count),
        sum: BigInt.asUintN(128, (low ?? 0n) + ((high ?? 0n) << 64n)),
        // Two keys with the same hash count as one, which only costs time.
        isUnique: keys === count,
      };
    } catch (error) {
      throw unread(error);
    }
  }

  /** Facts about columns that have a value in every row. */
  async #filled(table: string, columns: readonly RowColumn[]): Promise<ReadonlyMap<string, FilledColumn>> {
    const read = columns.map(({ name, type }) => {
      const lengths = isText(type) ? `strlen(${quoted(name)})` : "NULL";
      return `count(${quoted(name)}), min(${lengths}), max(${lengths})`;
    });
    const [[all, ...values] = []] = await this.#rows(`select count(*), ${read.join(", ")} from ${table}`);
    const known = columns.flatMap(({ name }, index): [string, FilledColumn][] => {
      const [count, least, most] = values.slice(3 * index, 3 * index + 3);
      const isSame = typeof least === "bigint" && least === most;
      return count === all ? [[name, { length: isSame ? Number(least) : undefined }]] : [];
    });
    return new Map(known);
  }

  async #values(table: string, width: number): Promise<Rows> {
    const read = await this.#giving.runAndReadAll(`select * from ${table}`);
    const columns = read.getColumns().map((values) => values.map((value) => rowValue(this.#duckdb, value)));
    return {
      count: read.currentRowCount,
      columns: Array.from({ length: width }, (_, index): readonly RowValue[] => columns[index] ?? []),
    };
  }

  async #isWithin(table: string, limits: readonly ColumnLimit[]): Promise<boolean> {
    const others = await this.#rows(`select 1 from ${table} where not (${withinSql(limits)}) limit 1`);
    return others.length === 0;
  }

  async *#csv(
    table: string,
    columns: readonly RowColumn[],
    names: readonly string[],
    { missing = "", after = [] }: CsvForm,
  ): AsyncGenerator<Uint8Array, void, void> {
    const draft = join(this.#folder.path, randomUUID());
    const bare = columns.filter(({ type }) => type === "LONG" || type === "BOOLEAN").map(({ name }) => name);
    const texts = names.filter((name) => !bare.includes(name)).map(quoted);
    const quotes = texts.length > 0 ? `, force_quote (${texts.join(", ")})` : "";
    try {
      await this.#giving.run(
        `copy (select ${[...names.map(quoted), ...after].join(", ")} from ${table}) to ${literal(draft)}
          (format csv, header false, nullstr ${literal(missing)}${quotes})`,
      );
      yield* piecesOf(draft);
    } finally {
      await rm(draft, { force: true });
    }
  }

  /** The rows of a table that was filled once have numbers from 0 on. */
  async *#arrays(
    table: string,
    names: readonly string[],
    size: number,
  ): AsyncGenerator<readonly string[], void, void> {
    const [[count] = []] = await this.#rows(`select count(*) from ${table}`);
    const values = names.map((name) => `'{' || string_agg(${arrayItem(quoted(name))}, ',') || '}'`);
    for (let start = 0; start < Number(count); start += size) {
      const [row] = await this.#rows(
        `select ${values.join(", ")} from ${table} where rowid >= ${start} and rowid < ${start + size}`,
      );
      yield (row ?? []) as string[];
    }
  }

  async #rows(sql: string): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#giving.runAndReadAll(sql)).getRows();
  }
}

/** An item of an array literal. */
function arrayItem(column: string): string {
  const text = String.raw`replace(replace(${column}::VARCHAR, '\', '\\'), '"', '\"')`;
  return `coalesce('"' || ${text} || '"', 'NULL')`;
}

/** An expression that is equal for equal keys. */
function keyValue(columns: readonly RowColumn[], name: string): string {
  const column = quoted(name);
  // Zero and minus zero are the same key.
  return columns.find((one) => one.name === name)?.type === "DOUBLE" ? `${column} + 0.0` : column;
}

/** Rows of a row group. A text that occurs often is written once in each, unless a fifth of so many are different. */
const groupRows = 250_000;

function copySql(
  table: string,
  columns: readonly RowColumn[],
  path: string,
  { about, only, compression = "snappy", groupRows: size = groupRows }: CopyForm,
): string {
  const left = columns.filter(({ name }) => !only?.names.includes(name));
  const values = left.map(({ name, type }) => {
    const column = quoted(name);
    return type === "TIMESTAMP" ? `make_timestamp(${column})::TIMESTAMPTZ as ${column}` : column;
  });
  const metadata = Object.entries(about).map(([key, value]) => `${literal(key)}: ${literal(value)}`);
  const kept = metadata.length === 0 ? "" : `, kv_metadata {${metadata.join(", ")}}`;
  const conditions = (only?.names ?? []).map(
    (name, index) => `${quoted(name)} is not distinct from ${valueSql(only?.values[index] ?? null)}`,
  );
  const where = conditions.length === 0 ? "" : ` where ${conditions.join(" and ")}`;
  return `copy (select ${values.join(", ")} from ${table}${where}) to ${literal(path)}
    (format parquet, compression ${compression === "none" ? "uncompressed" : compression}, row_group_size ${size}, write_bloom_filter false${kept})`;
}

function valueSql(value: RowValue): string {
  if (typeof value !== "string") return String(value);
  // The parser treats a NUL as the end of a statement.
  return `(${value.split("\0").map(literal).join(" || chr(0) || ")})`;
}

/** The name of the empty table that replaces stored rows. */
function emptyName(name: string): string {
  return `${quoted(nothing)}.${quoted(name)}`;
}

/** Bytes of a file that are read at once. */
const pieceBytes = 256 * 1024;

/** The content of a file, in pieces of one buffer, since every new one is work for the garbage collector. */
async function* piecesOf(path: string): AsyncGenerator<Uint8Array, void, void> {
  const file = await open(path, "r");
  try {
    const buffer = new Uint8Array(pieceBytes);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, pieceBytes);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

/** Moves a file, also to another disk. */
async function move(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(from, to);
  }
}

function unread(error: unknown): StoredReadError {
  const [first = ""] = messageOf(error).split("\n");
  const why = /^INTERRUPT/.test(first) ? "the query takes too long" : first;
  return new StoredReadError(why, { cause: error });
}
