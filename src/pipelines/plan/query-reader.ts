import { invariant } from "../../base/invariant.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { RowColumn } from "../changes/schema.js";
import { checkQuery, type NameInQuery, type QueryFault } from "../sql/check-query.js";
import { type DeclaredRows, ListedRows } from "../sql/create-lookups.js";
import { createNode, defineFunction, type QueryNode } from "../sql/create-node.js";
import { type KnownFunctions, QueryError, type SqlEngine } from "../sql/engine.js";
import { isBareDecimal, isWholeNumber } from "../sql/exact-casts.js";
import type { DeclaredLookup } from "../sql/lookup-joins.js";
import { syntaxHint } from "../sql/other-dialects.js";
import { extentOf, extentOfTable, type QueryExtent } from "../sql/query-extent.js";
import { requiredValues } from "../sql/required-values.js";
import { standardSql } from "../sql/standard-sql.js";
import { allNodes, isNode, nodesIn, offsetOf } from "../sql/syntax-tree.js";
import { literalAbiFaults } from "./literal-abis.js";
import { type ExtentFault, ExtentLimits, faultOfText } from "./query-limits.js";

export interface ReadQuery {
  readonly text: LocatedString;
  /** As DuckDB serializes it. */
  readonly tree: unknown;
  /** The tables that it reads, with their places. */
  readonly reads: readonly NamePlace[];
  /** Our own functions that it calls. */
  readonly functions: readonly string[];
  /** Why it cannot be computed from the change of a single row; `undefined` if it can. */
  readonly stateful: string | undefined;
  /** Whether it orders its rows. */
  readonly isOrdered: boolean;
  /** The dynamic tables in which it looks values up. */
  readonly lookups: readonly NamePlace[];
  /** The lookups of the definition that it joins. */
  readonly joins: readonly string[];
}

/** The condition of a source that was read. */
export interface ReadCondition {
  /** The contracts that a row must come from to satisfy the condition; `undefined` if it does not limit them. */
  readonly addresses: readonly string[] | undefined;
  /** The dynamic tables in which it looks values up. */
  readonly lookups: readonly NamePlace[];
}

/** Matches a column in which a query expects the operation. Services put their own prefix before the name. */
const operationColumn = /\b_[a-z]{2}_op\b/g;

/** A name where a query uses it. */
export interface NamePlace {
  readonly name: string;
  readonly at: Location;
}

/** An open engine, and its functions. */
interface OpenEngine {
  readonly engine: SqlEngine;
  readonly functions: KnownFunctions;
}

/** Reads the queries of a definition, and reports their mistakes. */
export class QueryReader {
  readonly #open: () => Promise<SqlEngine>;
  readonly #report: Report;
  readonly #anySql: boolean;
  readonly #defined = new Set<string>();
  readonly #operations = new Set<string>();
  readonly #lookups: NamePlace[] = [];
  readonly #limits = new ExtentLimits();
  readonly #declared: DeclaredLookup[];
  readonly #listed: ListedRows;
  /** How much each table and view makes the engine bind, by name in lower case. */
  readonly #extents = new Map<string, QueryExtent>();
  /** The columns of each table and view, by its name in lower case. */
  readonly #columns = new Map<string, readonly string[]>();
  #opened: OpenEngine | undefined;

  /**
   * @param open opens an empty database; called for the first query, so never without SQL
   * @param anySql whether queries may aggregate, join and so on
   * @param lookups the lookups of the definition
   */
  constructor(
    open: () => Promise<SqlEngine>,
    report: Report,
    anySql = false,
    lookups: readonly DeclaredRows[] = [],
  ) {
    this.#listed = new ListedRows(lookups);
    this.#declared = lookups.map(({ name, key, columns }) => ({
      name,
      key,
      columns: columns.map((column) => column.name),
    }));
    for (const { name, columns } of this.#declared)
      this.#extents.set(name.toLowerCase(), extentOfTable(columns.length));
    this.#open = open;
    this.#report = report;
    this.#anySql = anySql;
  }

  /** Columns in which the queries so far expect the operation. */
  get operations(): readonly string[] {
    return [...this.#operations].sort();
  }

  /** Functions that the queries so far call and the engine lacks, by the names that they use. */
  get functions(): readonly string[] {
    return [...this.#defined].sort();
  }

  /** Dynamic tables in which the queries so far look values up. */
  get lookups(): readonly NamePlace[] {
    return this.#lookups;
  }

  /** Says which columns a lookup has whose rows a query makes. */
  declare(lookup: DeclaredRows): void {
    const { name, key, columns } = lookup;
    const at = this.#declared.findIndex((one) => one.name === name);
    invariant(at !== -1, "a lookup is replaced only if it was declared");
    this.#declared[at] = { name, key, columns: columns.map((column) => column.name) };
    this.#extents.set(name.toLowerCase(), extentOfTable(columns.length));
    this.#listed.declare(lookup);
  }

  /** Reads a query; `undefined` after a reported error. */
  async read(text: LocatedString): Promise<ReadQuery | undefined> {
    const read = await this.#reads(standardSql(text.value), (offset) =>
      offset === undefined ? text.at : wordPlace(text, offset),
    );
    return read && { text, ...read };
  }

  /** Reads the condition of a source; `undefined` after a reported error. */
  async readCondition(text: LocatedString): Promise<ReadCondition | undefined> {
    const before = "select * from source where (\n";
    const place = (offset = -1): Location =>
      offset < before.length || offset > before.length + text.value.length
        ? text.at
        : wordPlace(text, offset - before.length);
    const read = await this.#reads(`${before}${standardSql(text.value)}\n)`, place);
    if (!read) return undefined;
    if (!isOneCondition(read.tree)) {
      this.#report.error("sql-forbidden", text.at, "the filter is more than a condition", {
        hint: "write what stands after WHERE, without further clauses",
      });
      return undefined;
    }
    if (read.stateful !== undefined) {
      this.#report.error("sql-not-streaming", text.at, read.stateful, { hint: "filter in a query instead" });
      return undefined;
    }
    const addresses = requiredValues(read.tree, "address")?.filter(isAddress) ?? [];
    const isAsked = addresses.length > 0 && addresses.length <= mostAddresses;
    return { addresses: isAsked ? addresses : undefined, lookups: read.lookups };
  }

  /** The tables that a query reads; `undefined` after a reported error. */
  async #reads(
    sql: string,
    placeOfOffset: (offset: number | undefined) => Location,
  ): Promise<Omit<ReadQuery, "text"> | undefined> {
    for (const [name] of sql.matchAll(operationColumn)) this.#operations.add(name);
    const tooLong = faultOfText(sql);
    if (tooLong) return this.#refuse(tooLong, placeOfOffset(undefined));
    const opened = await this.#engine();
    const parsed = await opened.engine.parse(sql);
    if (parsed.kind === "fault") {
      this.#report.error(
        "sql-syntax",
        placeOfOffset(parsed.offset),
        `the query cannot be parsed: ${parsed.message}`,
        { hint: syntaxHint(sql, parsed.offset) ?? parsed.hint },
      );
      return undefined;
    }
    const tooLarge = new ExtentLimits().take(extentOf(parsed.tree, () => undefined));
    if (tooLarge) return this.#refuse(tooLarge, placeOfOffset(undefined));
    const { reads, calls, lookups, joins, faults, doubles, isOrdered, limits } = checkQuery(
      parsed.tree,
      opened.functions,
      this.#declared,
    );
    const bytes = Buffer.from(sql);
    const unitsBefore = (offset: number): number =>
      bytes.length === sql.length ? offset : bytes.subarray(0, offset).toString().length;
    const place = ({ offset }: { readonly offset: number }): Location =>
      placeOfOffset(offset === -1 ? undefined : unitsBefore(offset));
    const isStateful = ({ code }: QueryFault): boolean => code === "sql-not-streaming";
    const reported = this.#anySql ? faults.filter((fault) => !isStateful(fault)) : faults;
    for (const fault of reported)
      this.#report.error(fault.code, place(fault), fault.message, { hint: fault.hint });
    const abis = literalAbiFaults(parsed.tree);
    for (const { message, offset } of abis)
      this.#report.error("sql-error", place({ offset }), message, { hint: abiHint });
    const rounded = doubles.filter((offset) => isWholeLiteral(bytes.subarray(offset)));
    for (const offset of rounded)
      this.#report.error("sql-inexact", place({ offset }), "a number of this size is rounded", {
        hint: "put it in quotes",
      });
    if (this.#anySql)
      for (const offset of limits)
        this.#report.warning("sql-undetermined", place({ offset }), "LIMIT without ORDER BY takes any rows", {
          hint: "add ORDER BY with columns that no two rows have in common, such as the key",
        });
    for (const offset of bareDecimals(parsed.tree, bytes))
      this.#report.warning("sql-inexact", place({ offset }), bareDecimal, { hint: bareDecimalHint });
    for (const { name } of calls) await this.#define(name, opened);
    const placed = (names: readonly NameInQuery[]): readonly NamePlace[] =>
      names.map((one) => ({ name: one.name, at: place(one) }));
    this.#lookups.push(...placed(lookups));
    if (reported.length + rounded.length + abis.length > 0) return undefined;
    return {
      tree: parsed.tree,
      reads: placed(reads),
      lookups: placed(lookups),
      joins: [...new Set(joins)],
      functions: calls.flatMap(({ name }) => (this.#defined.has(name) ? [name] : [])),
      stateful: faults.find(isStateful)?.message,
      isOrdered,
    };
  }

  /** Creates the table of a node, if queries can read it. @returns whether its filter is valid */
  async createTable(
    name: string,
    columns: readonly RowColumn[],
    filter?: LocatedString | undefined,
  ): Promise<boolean> {
    // All queries and filters have been read before, so without an engine there are none.
    if (!this.#opened) return true;
    this.#extents.set(name.toLowerCase(), extentOfTable(columns.length));
    const created = await this.#create({ name, columns, filter: filter?.value }, filter);
    return created !== undefined;
  }

  /** Creates the view of a query; `undefined` after a reported error. */
  async createView(
    name: string,
    { text, tree, stateful, joins }: ReadQuery,
  ): Promise<readonly RowColumn[] | undefined> {
    const extent = extentOf(tree, (table) => this.#extents.get(table));
    const tooLarge = this.#limits.take(extent);
    if (tooLarge) return this.#refuse(tooLarge, text.at);
    this.#extents.set(name.toLowerCase(), extent);
    await this.#listed.create((await this.#engine()).engine, joins);
    const columns = await this.#create({ name, sql: text.value }, text);
    const isSound = columns && (stateful !== undefined || (await this.#joinLists(name, text)));
    return isSound ? columns : undefined;
  }

  /** Lets a view look rows up in lists. @returns whether that is possible; faults are reported */
  async #joinLists(name: string, text: LocatedString): Promise<boolean> {
    const { engine } = await this.#engine();
    const sql = standardSql(text.value);
    const faults = await this.#listed.connect(engine, name, sql, true);
    for (const { message, hint, offset } of faults) {
      const at =
        offset === -1 ? text.at : wordPlace(text, Buffer.from(sql).subarray(0, offset).toString().length);
      this.#report.error("lookup-list", at, message, { hint });
    }
    return faults.length === 0;
  }

  /** Closes the engine, if there is one. */
  close(): void {
    this.#opened?.engine.close();
    this.#opened = undefined;
  }

  #refuse({ message, hint }: ExtentFault, at: Location): undefined {
    this.#report.error("sql-too-large", at, message, { hint });
  }

  async #engine(): Promise<OpenEngine> {
    if (!this.#opened) {
      const engine = await this.#open();
      this.#opened = { engine, functions: await engine.functions() };
    }
    return this.#opened;
  }

  /** @param text the user's own part; `undefined` if there is none */
  async #create(node: QueryNode, text: LocatedString | undefined): Promise<readonly RowColumn[] | undefined> {
    const { engine } = await this.#engine();
    try {
      const columns = await createNode(engine, node, this.operations);
      this.#columns.set(
        node.name.toLowerCase(),
        columns.map((column) => column.name),
      );
      return columns;
    } catch (error) {
      if (!(error instanceof QueryError) || text === undefined) throw error;
      const at = error.offset === undefined ? text.at : wordPlace(text, error.offset);
      const hint = error.hint ?? this.#columnHint(error.message, text, error.offset);
      this.#report.error("sql-error", at, error.message, { hint });
      return undefined;
    }
  }

  /** What to write for a column that does not exist and resembles none. */
  #columnHint(message: string, { value }: LocatedString, offset: number | undefined): string | undefined {
    const [, name] = /^there is no column "([^"]+)"$/.exec(message) ?? [];
    if (name === undefined) return undefined;
    if (offset !== undefined && value[offset] === '"')
      return `write '${name}' for a text: double quotes are for names`;
    const known = [...this.#columns].filter(([table]) => value.toLowerCase().includes(table));
    return known.map(([table, columns]) => `${table} has ${columns.join(", ")}`).join("; ") || undefined;
  }

  async #define(name: string, { engine, functions }: OpenEngine): Promise<void> {
    if (functions.all.has(name) || this.#defined.has(name)) return;
    if (await defineFunction(engine, name, () => false)) this.#defined.add(name);
  }
}

/** Whether a condition in parentheses does not close them to add its own clauses. */
function isOneCondition(tree: unknown): boolean {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  const node = statement && isNode(statement.node) ? statement.node : {};
  const from = isNode(node.from_table) ? node.from_table : {};
  const named = isNode(node.cte_map) ? nodesIn(node.cte_map.map) : [];
  const groups = [node.group_expressions, node.group_sets].flat().filter((one) => one !== undefined);
  const others = [node.having, node.qualify, node.sample, from.sample].filter((one) => one !== undefined);
  return (
    node.type === "SELECT_NODE" &&
    from.type === "BASE_TABLE" &&
    [named, nodesIn(node.modifiers), groups, others].every(({ length }) => length === 0)
  );
}

/** The most contracts to name in a request to a node; with more, the request asks for all contracts. */
const mostAddresses = 1_000;

/** Datasets have addresses in lower case, so no other text matches. */
function isAddress(text: string): boolean {
  return /^0x[0-9a-f]{40}$/.test(text);
}

const abiHint =
  "write the ABI as a list in JSON, as compilers and explorers give it, or as entries such as event Sent(address to)";
const bareDecimal =
  "NUMERIC without a width has 3 digits after the point and 15 before it, which most amounts exceed";
const bareDecimalHint = "write NUMERIC(38, 0), or NUMERIC(78, 0) for integers of 256 bits";

/** The positions of casts to a decimal without a width. @param text the parsed text */
function bareDecimals(tree: unknown, text: Buffer): readonly number[] {
  // The tree shows them like casts to DECIMAL(18, 3).
  if (!/\b(numeric|decimal|dec)\b(?!\s*\()/i.test(text.toString())) return [];
  return [...allNodes(tree)]
    .filter((node) => node.class === "CAST")
    .filter(({ cast_type: type, child }) => isNode(type) && isBareDecimal(type) && !isWholeNumber(child))
    .map(offsetOf);
}

/** Whether a text begins with a number without a fraction, which the user expects to be exact. */
function isWholeLiteral(text: Buffer): boolean {
  return /^-?[\d_]+(?![\d_.e])/i.test(text.subarray(0, 400).toString("latin1"));
}

/** The whole word at a place, since a single marked character is hard to see. */
function wordPlace(text: LocatedString, offset: number): Location {
  const [word = ""] = /^[\w.]+/.exec(text.value.slice(offset)) ?? [];
  const start = Math.min(offset, text.value.length);
  return text.part(start, Math.min(text.value.length, start + Math.max(1, word.length)));
}
