import type { DuckDBConnection, DuckDBDataChunk, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { reportFailure } from "../../../base/failures.js";
import { quoted } from "../../../base/text/sql-quotes.js";
import { inBackground } from "../../../base/turns/guarded.js";
import { noRows, type Rows, type RowValue } from "../../changes/rows.js";
import type { RowColumn } from "../../changes/schema.js";
import type { StoredQuery, StoredRows } from "../../changes/stored-rows.js";
import {
  type KnownFunctions,
  type LookedUpRows,
  type NamedRows,
  type ParsedQuery,
  QueryError,
  type SqlEngine,
  type TableExtras,
} from "../../sql/engine.js";
import { withExactCasts } from "../../sql/exact-casts.js";
import { withOrderedUnnest } from "../../sql/ordered-unnest.js";
import { secondReadings } from "../../sql/second-readings.js";
import type { AddedFunction } from "../../sql/sql-function.js";
import { appendRows } from "./append-rows.js";
import {
  countsSql,
  readForm,
  rowValue,
  schemaOf,
  seen,
  storage,
  storedName,
  storedTypes,
  tableName,
} from "./column-forms.js";
import { constantFault } from "./constant-fault.js";
import { createLookupTable, extendLookupTable } from "./lookup-table.js";
import { type Probing, probeFault } from "./probe-view.js";
import { queryError } from "./query-error.js";
import { queryWords } from "./query-words.js";
import { type Ask, rewriteQuery } from "./rewrite-query.js";
import { type Definition, type RowStore, viewSql } from "./row-store.js";
import { addFunction } from "./scalar-function.js";

type DuckDb = typeof import("@duckdb/node-api");

/** The most milliseconds that the row of a probe may take. */
const longestProbe = 250;

/** How DuckDB refuses a decimal that an exact cast makes an integer. */
const tooWide = /DECIMAL type width/;

/** Where rows are that were computed once. */
const results = "graphloom$computed";

/** DuckDB as the SQL of a pipeline. */
export class DuckDbEngine implements SqlEngine {
  readonly #duckdb: DuckDb;
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  readonly #time: number;
  readonly #openStore: () => Promise<RowStore>;
  readonly storedAtOnce: number;
  readonly mostStored: number;
  readonly #onClose: () => void;
  readonly #reads = new Map<string, string>();
  /** Definitions that the database of stored rows also needs. */
  readonly #definitions: Definition[] = [];
  readonly #stores: { readonly opened: Promise<RowStore>; busy: number }[] = [];

  /**
   * @param time the most milliseconds that a query may take
   * @param stored opens a database of stored rows, and is called only if there are any; how many databases there may
   * be, and how many rows fit into the memory of each
   * @param onClose called once the engine is closed
   */
  constructor(
    duckdb: DuckDb,
    instance: DuckDBInstance,
    connection: DuckDBConnection,
    time: number,
    stored: { readonly open: () => Promise<RowStore>; readonly atOnce: number; readonly most: number },
    onClose: () => void,
  ) {
    this.#duckdb = duckdb;
    this.#instance = instance;
    this.#connection = connection;
    this.#time = time;
    this.#openStore = stored.open;
    this.storedAtOnce = stored.atOnce;
    this.mostStored = stored.most;
    this.#onClose = onClose;
  }

  async parse(text: string): Promise<ParsedQuery> {
    // GROUP BY ROLLUP differs from GROUP BY only by an empty set.
    const options = "skip_null := true, skip_empty := false, skip_default := true";
    const [row] = await this.#rows(`select json_serialize_sql($1::VARCHAR, ${options})`, [text]);
    const answer = JSON.parse(readableNumbers(String(row?.[0]))) as {
      readonly error: boolean;
      readonly error_message?: string;
      readonly position?: string;
    };
    if (!answer.error) return { kind: "tree", tree: answer };
    return {
      kind: "fault",
      ...queryWords(answer.error_message ?? "Only SELECT statements can be serialized"),
      offset: answer.position === undefined ? undefined : utf16(text, Number(answer.position)),
    };
  }

  async functions(): Promise<KnownFunctions> {
    // Most names have several rows, one for each list of parameters.
    const rows = await this.#rows(
      `select lower(function_name), bool_or(function_type = 'aggregate'), bool_or(stability = 'VOLATILE')
      from duckdb_functions() group by all`,
    );
    const named = (fits: (row: readonly DuckDBValue[]) => boolean): ReadonlySet<string> =>
      new Set(rows.filter(fits).map(([name]) => String(name)));
    return {
      all: named(() => true),
      aggregates: named(([, isAggregate]) => isAggregate === true),
      volatile: named(([, , isVolatile]) => isVolatile === true),
    };
  }

  async define(added: AddedFunction): Promise<void> {
    await addFunction(this.#duckdb, this.#connection, added);
    this.#definitions.push({ kind: "function", added });
  }

  async createTable(
    name: string,
    columns: readonly RowColumn[],
    { condition, operations = [] }: TableExtras = {},
  ): Promise<void> {
    const stored = columns.map((column) => `${quoted(column.name)} ${storedTypes[column.type]}`).join(", ");
    await this.#connection.run(`create schema if not exists ${quoted(storage)}`);
    await this.#connection.run(`create table ${storedName(name)} (${stored})`);
    this.#definitions.push({ kind: "table", name, columns });
    const listed = [...columns.map(seen), ...operations.map((column) => `'i' as ${quoted(column)}`)].join(
      ", ",
    );
    const all = `select ${listed} from ${storedName(name)}`;
    // The condition is on separate lines, so that a comment in it ends with it.
    if (condition === undefined) await this.#create(name, all);
    else await this.createView(name, `select * from (${all}) where (\n${condition}\n)`);
  }

  async createView(
    name: string,
    query: string,
    change?: (tree: unknown) => unknown,
  ): Promise<readonly RowColumn[]> {
    try {
      if (change) return await this.#create(name, await this.#changed(query, change));
      const before = [...this.#definitions];
      const columns = await this.#createRead(name, query);
      await this.#probe(query, before);
      return columns;
    } catch (error) {
      throw queryError(error, query);
    }
  }

  async createLookup(name: string, given: LookedUpRows): Promise<readonly RowColumn[]> {
    await this.#schema(name);
    const listed =
      "rows" in given
        ? { rows: given.rows, columns: given.columns }
        : { query: await this.#changed(given.query, given.change), columns: given.columns };
    const lookup = { kind: "lookup", name, listed } as const;
    try {
      await createLookupTable(this.#duckdb, this.#connection, lookup);
    } catch (error) {
      throw queryError(error, "");
    }
    this.#definitions.push(lookup);
    return this.#describe(name);
  }

  extendLookup(name: string, columns: readonly RowColumn[], rows: Rows): Promise<void> {
    return extendLookupTable(this.#duckdb, this.#connection, name, columns, rows);
  }

  /** A query with another tree, in which casts are exact. */
  async #changed(query: string, change: (tree: unknown) => unknown): Promise<string> {
    const changed = await rewriteQuery(query, (tree) => change(withExactCasts(tree) ?? tree), this.#ask);
    if (changed === undefined)
      throw new QueryError("the rows cannot be looked up: write the join in another way");
    return changed;
  }

  readonly #ask: Ask = async (sql, text) => (await this.#rows(sql, [text]))[0]?.[0];

  /**
   * Looks for what makes the view that was created last fail for every row.
   * @param query as the user wrote it
   * @throws QueryError
   */
  async #probe(query: string, before: readonly Definition[]): Promise<void> {
    const view = this.#definitions.at(-1);
    if (view?.kind !== "view") return;
    const compute = (sql: string): Promise<unknown> =>
      this.#timed(() => this.#connection.run(sql), longestProbe);
    const constant = await constantFault(query, this.#ask, compute);
    if (constant) throw queryError(constant.error, "", utf16At(query, constant.offset));
    const run = (sql: string): Promise<unknown> => this.#connection.run(sql);
    const columnsOf = (table: string): ReturnType<Probing["columnsOf"]> => this.#columnsOf(table);
    const fault = await probeFault(view, before, { ask: this.#ask, run, compute, columnsOf });
    // The drawing is of the view, and not of the query that the user wrote.
    if (fault) throw queryError(new Error(firstLine(fault.error)), query);
  }

  /**
   * Creates a view of a query with exact casts, or of another reading if DuckDB refuses the query, and with the columns
   * of the query that the user wrote.
   */
  async #createRead(name: string, query: string): Promise<readonly RowColumn[]> {
    const exact = /cast|::/i.test(query) ? await rewriteQuery(query, withExactCasts, this.#ask) : undefined;
    const written = await this.#create(name, query).catch((error: unknown) => error as Error);
    const ordered = await this.#createOrdered(name, exact ?? query, written);
    if (ordered) return ordered;
    if (exact === undefined && !(written instanceof Error)) return written;
    const names = written instanceof Error ? [] : written.map((column) => column.name);
    const made = await this.#createAnyhow(name, exact ?? query, names);
    if (!(made instanceof Error)) return made;
    if (!(written instanceof Error)) return this.#create(name, query);
    // The messages that the user reads refer to the query as written, unless the exact casts mended the fault.
    throw exact !== undefined && tooWide.test(written.message) ? made : written;
  }

  /**
   * Creates a view in which items of lists keep their order.
   * @param written the columns of the query as written
   * @returns `undefined` if the order is the same anyway, or cannot be kept
   */
  async #createOrdered(
    name: string,
    query: string,
    written: readonly RowColumn[] | Error,
  ): Promise<readonly RowColumn[] | undefined> {
    if (written instanceof Error || !/\bunnest\b/i.test(query)) return undefined;
    const ordered = await rewriteQuery(query, withOrderedUnnest, this.#ask);
    if (ordered === undefined) return undefined;
    const names = written.map((column) => column.name);
    const made = await this.#createAnyhow(name, ordered, names);
    if (!(made instanceof Error) && made.length === names.length) return made;
    await this.#create(name, query);
    return undefined;
  }

  /** Creates a view of a query or of another reading. @returns the last failure if there is none */
  async #createAnyhow(
    name: string,
    query: string,
    names: readonly string[],
  ): Promise<readonly RowColumn[] | Error> {
    const left = new Set(secondReadings);
    for (let read = query; ; ) {
      const made = await this.#create(name, read, names).catch((error: unknown) => error as Error);
      if (!(made instanceof Error)) return made;
      const reading = [...left].find(({ words }) => words.test(made.message));
      const next = reading && (await rewriteQuery(read, reading.change, this.#ask));
      if (!reading || next === undefined) return made;
      left.delete(reading);
      read = next;
    }
  }

  /** @param names of the columns; by default the query decides */
  async #create(name: string, query: string, names: readonly string[] = []): Promise<readonly RowColumn[]> {
    await this.#schema(name);
    const view = { kind: "view", name, query, names } as const;
    await this.#connection.run(viewSql(view));
    this.#definitions.push(view);
    return this.#describe(name);
  }

  async fill(name: string, columns: readonly RowColumn[], rows: Rows): Promise<void> {
    await this.#connection.run(`truncate ${storedName(name)}`);
    await this.append(name, columns, rows);
  }

  append(name: string, columns: readonly RowColumn[], rows: Rows): Promise<void> {
    return appendRows(this.#duckdb, this.#connection, { name, schema: storage }, columns, rows);
  }

  rowsOf(name: string, columns: readonly RowColumn[], most?: number): Promise<Rows> {
    const limit = most === undefined ? "" : ` limit ${most}`;
    return this.#rowsIn(`${this.#reading(name)}${limit}`, columns);
  }

  async countsOf(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = await this.#within(() => this.#rows(countsSql(names)));
    return new Map(counts.map(([name, count]) => [String(name), Number(count)]));
  }

  async compute(name: string, isOrdered: boolean): Promise<number> {
    const result = resultName(name);
    await this.#within(async () => {
      await this.#connection.run(`create schema if not exists ${quoted(results)}`);
      const order = isOrdered ? "" : " order by all";
      await this.#connection.run(`create or replace table ${result} as ${this.#reading(name)}${order}`);
    });
    const [row] = await this.#rows(`select count(*) from ${result}`);
    return Number(row?.[0]);
  }

  computedRows(name: string, columns: readonly RowColumn[], from: number, before: number): Promise<Rows> {
    const range = `rowid >= ${BigInt(from)} and rowid < ${BigInt(before)}`;
    return this.#rowsIn(`select * from ${resultName(name)} where ${range} order by rowid`, columns);
  }

  async #rowsIn(query: string, columns: readonly RowColumn[]): Promise<Rows> {
    const { columns: read } = noRows(columns.length);
    const gathered = read.map((): RowValue[] => []);
    await this.#eachChunk(query, (chunk) => {
      for (const [index, column] of gathered.entries())
        for (const value of chunk.getColumnValues(index)) column.push(rowValue(this.#duckdb, value));
    });
    return { count: gathered[0]?.length ?? 0, columns: gathered };
  }

  async takeFrom(
    given: StoredQuery,
    table: string,
    { name, columns }: NamedRows,
    key: readonly string[],
  ): Promise<StoredRows> {
    const [reading, time] = [this.#reading(name), this.#time];
    return this.#stored((store) => store.compute({ given, table, reading, columns, key, time }));
  }

  async countsFrom(
    given: StoredQuery,
    table: string,
    names: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    return this.#stored((store) => store.counts(given, table, names, this.#time));
  }

  close(): void {
    for (const { opened } of this.#stores)
      inBackground(
        opened.then((store) => store.close()),
        reportFailure,
      );
    this.#connection.closeSync();
    this.#instance.closeSync();
    this.#onClose();
  }

  /** Does something in the database of stored rows that has least to do. */
  async #stored<Result>(work: (store: RowStore) => Promise<Result>): Promise<Result> {
    const isFree = this.#stores.some(({ busy }) => busy === 0);
    if (!isFree && this.#stores.length < this.storedAtOnce)
      this.#stores.push({ opened: this.#open(), busy: 0 });
    const least = this.#stores.reduce((one, other) => (other.busy < one.busy ? other : one));
    least.busy += 1;
    try {
      return await work(await least.opened);
    } finally {
      least.busy -= 1;
    }
  }

  async #open(): Promise<RowStore> {
    const store = await this.#openStore();
    for (const definition of this.#definitions) await store.define(definition);
    return store;
  }

  /** The query that reads a table or view. */
  #reading(name: string): string {
    return `select ${this.#reads.get(name) ?? "*"} from ${tableName(name)}`;
  }

  /** Reads the rows of a query of ours. @throws QueryError */
  async #eachChunk(query: string, take: (chunk: DuckDBDataChunk) => void): Promise<void> {
    await this.#within(async () => {
      const result = await this.#connection.stream(query);
      for (;;) {
        const chunk = await result.fetchChunk();
        if (!chunk || chunk.rowCount === 0) break;
        take(chunk);
      }
    });
  }

  /**
   * Runs one of our own queries within its time limit.
   * @throws QueryError
   */
  async #within<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await this.#timed(work, this.#time);
    } catch (error) {
      throw queryError(error, "");
    }
  }

  async #timed<Result>(work: () => Promise<Result>, time: number): Promise<Result> {
    const timer = setTimeout(() => this.#connection.interrupt(), time);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }

  /** The columns of a view. This also prepares reading it. */
  async #describe(name: string): Promise<readonly RowColumn[]> {
    const forms = (await this.#columnsOf(tableName(name))).map((column) => ({
      name: column.name,
      ...readForm(column.name, column.type),
    }));
    this.#reads.set(name, forms.map(({ name: column, read }) => `${read} as ${quoted(column)}`).join(", "));
    return forms.map(({ name: column, type }) => ({ name: column, type, nullable: true }));
  }

  /** @param table its name in SQL */
  async #columnsOf(table: string): Promise<readonly { readonly name: string; readonly type: string }[]> {
    const described = await this.#rows(`describe ${table}`);
    return described.map(([column, type]) => ({ name: String(column), type: String(type) }));
  }

  async #schema(name: string): Promise<void> {
    const schema = schemaOf(name);
    if (schema !== undefined) await this.#connection.run(`create schema if not exists ${quoted(schema)}`);
  }

  async #rows(sql: string, values: string[] = []): Promise<readonly (readonly DuckDBValue[])[]> {
    return (await this.#connection.runAndReadAll(sql, values)).getRows();
  }
}

/**
 * A syntax tree in which some numbers are texts: large integers, because JSON readers round them, and
 * DuckDB's form of `1e999`, which is not JSON. Quotes within texts are escaped.
 */
function readableNumbers(json: string): string {
  return json.replaceAll(/(?<!\\)"(value|upper|lower)":(-?(?:\d{16,}|Infinity|NaN))(?=[,}])/g, '"$1":"$2"');
}

function resultName(name: string): string {
  return `${quoted(results)}.${quoted(name)}`;
}

function firstLine(error: Error): string {
  return error.message.split("\n", 1)[0] ?? "";
}

/** A place in UTF-16 units from one in bytes of UTF-8; `undefined` for -1. */
function utf16At(text: string, bytes: number): number | undefined {
  return bytes === -1 ? undefined : utf16(text, bytes);
}

/** A place in UTF-16 units from one in bytes of UTF-8. */
function utf16(text: string, bytes: number): number {
  return Buffer.from(text).subarray(0, bytes).toString().length;
}
