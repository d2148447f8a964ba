import { invariant } from "../../base/invariant.js";
import { quoted } from "../../base/text/sql-quotes.js";
import type { Rows } from "../changes/rows.js";
import type { RowColumn, ValueType } from "../changes/schema.js";
import type { SqlEngine } from "./engine.js";
import { GatheredRows, type ReadRows } from "./gathered-rows.js";
import {
  finderName,
  keysStatement,
  listStatement,
  lookupName,
  lookupsIn,
  withLookups,
} from "./lookup-joins.js";
import type { SqlFunction } from "./sql-function.js";
import { firstOffset } from "./syntax-tree.js";

/** Why rows cannot be looked up in a list. */
export interface ListFault {
  readonly message: string;
  readonly hint: string;
  /** In bytes of the query; -1 if unknown. */
  readonly offset: number;
}

/** A lookup of the definition, with its rows. */
export interface DeclaredRows {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly RowColumn[];
  /** `undefined` if they are read when they are looked up. */
  readonly rows: Rows | undefined;
}

/** Types whose values are found by their text, because each value has a single one. */
const families: Readonly<Partial<Record<ValueType, Family>>> = {
  STRING: "text",
  LONG: "integer",
  DECIMAL: "integer",
};

/** The lists in which the queries of an engine look rows up. */
export class ListedRows {
  /** The number of each row by its key, by the name of the table. */
  readonly #rows = new Map<string, ReadonlyMap<string, bigint>>();
  readonly #finders = new Set<string>();
  readonly #declared: DeclaredRows[];
  readonly #created = new Set<string>();
  readonly #read = new Map<string, GatheredRows>();
  readonly #tables: (name: string) => ReadRows | undefined;
  /** How many computations at the moment count. */
  #counting = 0;
  #misses = 0;

  /**
   * @param declared the lookups of the definition
   * @param tables finds one whose rows are read when they are looked up
   */
  constructor(
    declared: readonly DeclaredRows[] = [],
    tables: (name: string) => ReadRows | undefined = () => undefined,
  ) {
    this.#declared = [...declared];
    this.#tables = tables;
  }

  /** How many keys were looked up and not found; `undefined` if nothing looks rows up. */
  get misses(): number | undefined {
    return this.#finders.size === 0 ? undefined : this.#misses;
  }

  /** Replaces a lookup with this name, before queries join it. */
  declare(lookup: DeclaredRows): void {
    const at = this.#declared.findIndex(({ name }) => name === lookup.name);
    invariant(at !== -1, "a lookup is replaced only if it was declared");
    this.#declared[at] = lookup;
  }

  /** Takes back what was counted, since the rows are computed again. @param misses what `misses` was before */
  uncount(misses = 0): void {
    this.#misses = misses;
  }

  /** Makes room for rows of tables that are read. Call it before rows are computed. */
  async begin(engine: SqlEngine): Promise<void> {
    for (const rows of this.#read.values()) await rows.begin(engine);
  }

  /**
   * Reads rows that were looked up and not known.
   * @returns whether all were, so that what was computed holds
   * @throws errors of the tables
   */
  async complete(engine: SqlEngine): Promise<boolean> {
    let isComplete = true;
    for (const rows of this.#read.values()) isComplete = (await rows.complete(engine)) && isComplete;
    return isComplete;
  }

  /** Computes rows that are written, so that keys which are not found count. */
  async counted<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#counting += 1;
    try {
      return await work();
    } finally {
      this.#counting -= 1;
    }
  }

  /** Creates the lookups of the definition that queries join, as views with their names. */
  async create(engine: SqlEngine, names: readonly string[]): Promise<void> {
    for (const { name, key, columns, rows: given } of this.#declared) {
      if (!names.includes(name) || this.#created.has(name)) continue;
      this.#created.add(name);
      const table = lookupName(name, "", 0);
      const rows = given ?? { count: 0, columns: [] };
      const read = this.#tables(name);
      if (read) this.#read.set(table, new GatheredRows(table, columns, read));
      await engine.createLookup(table, { rows, columns: columns.map((one) => ({ ...one, nullable: true })) });
      const [schema = "", own = ""] = table.split(/\.(.*)/s);
      await engine.createView(name, `select * from ${quoted(schema)}.${quoted(own)} where rowid > 0`);
      const at = key.map((one) => columns.findIndex((column) => column.name === one));
      this.#rows.set(table, numbered(rows, at, 0).numbers);
    }
  }

  /**
   * Lets a view look rows up in the lists that its query joins. Does nothing without such a join.
   * @param query the text of the view, which the engine has accepted
   * @param isChecked whether to look for faults in the lists
   * @returns the faults
   * @throws QueryError
   */
  async connect(
    engine: SqlEngine,
    view: string,
    query: string,
    isChecked = false,
  ): Promise<readonly ListFault[]> {
    if (!/\bjoin\b/i.test(query)) return [];
    const parsed = await engine.parse(query);
    const declared = this.#declared.map((one) => ({
      ...one,
      columns: one.columns.map(({ name }) => name),
    }));
    const found = parsed.kind === "tree" ? lookupsIn(parsed.tree, declared) : [];
    const faults: ListFault[] = [];
    for (const [index, { join, lookup }] of found.entries()) {
      const { list, keys } = lookup;
      const offset = firstOffset(join.condition, join);
      const name = lookupName(list, view, index);
      const columns =
        typeof list === "string"
          ? (this.#declared.find((one) => one.name === list)?.columns ?? [])
          : await engine.createLookup(name, {
              query,
              change: (tree) => listStatement(tree, index, declared),
              columns: lookup.columns,
            });
      const places = keys.map(({ column }) =>
        columns.findIndex((one) => one.name.toLowerCase() === column.toLowerCase()),
      );
      if (isChecked) {
        const compared = await engine.createView(`${view} keys`, query, (tree) =>
          keysStatement(tree, index, declared),
        );
        for (const [key, at] of places.entries()) {
          const own = familyOf(columns[at]);
          const other = familyOf(compared[key]);
          if (own !== other || own === undefined)
            faults.push(typeFault(keys[key]?.column ?? "", own, other, offset));
        }
      }
      if (typeof list !== "string") {
        const { numbers, repeated } = numbered(await engine.rowsOf(name, columns), places, 1);
        if (repeated) faults.push(repeatedFault(repeated, offset));
        this.#rows.set(name, numbers);
      }
      await this.#define(engine, keys.length);
    }
    if (found.length > 0 && faults.length === 0)
      await engine.createView(view, query, (tree) => withLookups(tree, view, declared));
    return faults;
  }

  async #define(engine: SqlEngine, keys: number): Promise<void> {
    const name = finderName(keys);
    if (this.#finders.has(name)) return;
    this.#finders.add(name);
    const finder: SqlFunction = {
      name,
      parameters: Array.from({ length: keys + 1 }, () => "text" as const),
      result: "long",
      compute: ([table, ...values]) => {
        const gathered = this.#read.get(String(table));
        const row = gathered
          ? gathered.numberOf(values.map(String))
          : (this.#rows.get(String(table))?.get(JSON.stringify(values)) ?? null);
        if (row === null && this.#counting > 0) this.#misses += 1;
        return row ?? null;
      },
    };
    await engine.define(finder);
  }
}

type Family = "text" | "integer" | undefined;

function familyOf(column: RowColumn | undefined): Family {
  return column && families[column.type];
}

function typeFault(column: string, own: Family, other: Family, offset: number): ListFault {
  const named = (family: Family): string =>
    family === undefined ? "neither text nor an integer" : family === "text" ? "text" : "an integer";
  return {
    message: `the key ${column} of the list is ${named(own)}, and what it is compared with is ${named(other)}`,
    hint: "keys are texts or integers, on both sides: cast one of them",
    offset,
  };
}

function repeatedFault(values: readonly string[], offset: number): ListFault {
  return {
    message: `the list has the key ${values.join(", ")} twice, so that a row would become two`,
    hint: "remove one of the rows, or compare more columns",
    offset,
  };
}

/**
 * The numbers of rows in their table, by their keys.
 * @param empty how many rows at the beginning are empty; the table begins with one
 */
function numbered(
  rows: Rows,
  key: readonly number[],
  empty: 0 | 1,
): { readonly numbers: ReadonlyMap<string, bigint>; readonly repeated: readonly string[] | undefined } {
  const numbers = new Map<string, bigint>();
  let repeated: readonly string[] | undefined;
  for (let row = empty; row < rows.count; row += 1) {
    const values = key.map((at) => rows.columns[at]?.[row] ?? null);
    if (values.includes(null)) continue;
    const text = JSON.stringify(values.map(String));
    if (numbers.has(text)) repeated ??= values.map(String);
    numbers.set(text, BigInt(row + 1 - empty));
  }
  return { numbers, repeated };
}
