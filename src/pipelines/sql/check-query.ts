import type { KnownFunctions } from "./engine.js";
import { isLookup } from "./lookup-function.js";
import {
  type DeclaredLookup,
  isList,
  type LookupFault,
  type LookupJoin,
  listsIn,
  lookupIn,
  type NamedLists,
} from "./lookup-joins.js";
import { functionHint } from "./other-dialects.js";
import {
  firstOffset,
  isNode,
  nodesIn,
  offsetOf,
  type SyntaxNode,
  syntaxNodes,
  textIn,
} from "./syntax-tree.js";

/** A name in a query: of a table that it reads, or of a function that it calls. */
export interface NameInQuery {
  /** A table's name has a dot after its schema, if any; a function's is in lower case. */
  readonly name: string;
  /** In bytes of the query. */
  readonly offset: number;
}

/** Why a query cannot be used. */
export interface QueryFault {
  /** Whether a change of one row cannot be followed through it, or whether queries must not do this at all. */
  readonly code: "sql-not-streaming" | "sql-forbidden";
  readonly message: string;
  /** The way out. */
  readonly hint: string;
  /** In bytes of the query; -1 for the whole query. */
  readonly offset: number;
}

/** Facts from the syntax tree of a query. */
export interface QueryFacts {
  readonly reads: readonly NameInQuery[];
  readonly calls: readonly NameInQuery[];
  readonly lookups: readonly NameInQuery[];
  /** Names of the definition's lookups that it joins. */
  readonly joins: readonly string[];
  readonly faults: readonly QueryFault[];
  /** Where there are floating-point numbers, in bytes of the query. */
  readonly doubles: readonly number[];
  /** Where there is a LIMIT of rows in no order, in bytes of the query. */
  readonly limits: readonly number[];
  /** Whether the query orders its result. */
  readonly isOrdered: boolean;
}

/** Table functions that compute rows from their arguments only. */
const harmless: ReadonlySet<string> = new Set([
  "unnest",
  "range",
  "generate_series",
  "json_each",
  "json_tree",
]);

/**
 * Functions of the current time. Without parentheses, they look like columns. DuckDB calls some of them consistent.
 */
const clocks: ReadonlySet<string> = new Set([
  "now",
  "today",
  "get_current_timestamp",
  "get_current_time",
  "transaction_timestamp",
  "txid_current",
  "current_date",
  "current_time",
  "current_timestamp",
  "localtime",
  "localtimestamp",
  "current_localtime",
  "current_localtimestamp",
  "ago",
  "pg_postmaster_start_time",
  "pg_conf_load_time",
]);

/** Functions of the engine and its settings. Without parentheses, some of them look like columns. */
const surroundings: ReadonlySet<string> = new Set([
  "version",
  "user",
  "current_user",
  "session_user",
  "current_role",
  "current_catalog",
  "current_database",
  "current_schema",
  "current_schemas",
  "in_search_path",
  "current_setting",
  "getvariable",
]);

const aggregateWay =
  "use the sink postgres_aggregate, aggregate in the database, or let Flink do it with --engine flink=<gateway>";
const joinWay =
  "join with a list of rows, LEFT JOIN (VALUES ('key', 'value'), …) AS t(key, value) ON t.key = <column>, look values up in a dynamic_table, join in the database, or let Flink do it with --engine flink=<gateway>";
const subqueryWay =
  "join with a list of rows, look values up in a dynamic_table, or give every source an end_block and write job: true";
const sourceWay = "read FROM a source or a transform";
const columnWay = "use the columns of the row";
const timeWay = "use the time of the row's block, such as block_timestamp";

/**
 * Checks the syntax tree of a query: what it reads, and whether each of its rows comes from a single input row. Only
 * then can the effect of a changed row be computed without the other rows.
 * @param tree as DuckDB serializes it
 * @param declared the lookups of the definition
 */
export function checkQuery(
  tree: unknown,
  functions: KnownFunctions,
  declared: readonly DeclaredLookup[] = [],
): QueryFacts {
  const check = new QueryCheck(functions, listsIn(tree, declared));
  const statements = isNode(tree) ? nodesIn(tree.statements) : [];
  if (statements.length !== 1)
    check.forbid("the text is not a single query", "write one SELECT, without a semicolon", -1);
  for (const { node } of statements) {
    if (!isNode(node)) continue;
    check.isOrdered = isOrdered(node);
    check.query(node, new Set());
  }
  return check;
}

/** Members of a SELECT that are not expressions, and are checked by themselves. */
const relations: ReadonlySet<string> = new Set(["from_table", "cte_map", "modifiers"]);

/** Names of the queries that WITH defines, in lower case. */
type Scope = ReadonlySet<string>;

class QueryCheck implements QueryFacts {
  readonly reads: NameInQuery[] = [];
  readonly calls: NameInQuery[] = [];
  readonly lookups: NameInQuery[] = [];
  readonly joins: string[] = [];
  readonly faults: QueryFault[] = [];
  readonly doubles: number[] = [];
  readonly limits: number[] = [];
  isOrdered = false;
  readonly #functions: KnownFunctions;
  readonly #lists: NamedLists;

  constructor(functions: KnownFunctions, lists: NamedLists) {
    this.#functions = functions;
    this.#lists = lists;
  }

  forbid(message: string, hint: string, offset: number): void {
    this.faults.push({ code: "sql-forbidden", message, hint, offset });
  }

  query(node: SyntaxNode, around: Scope): void {
    const scope = this.#with(node, around);
    for (const modifier of nodesIn(node.modifiers)) {
      this.#modifier(modifier, node);
      this.#expressions(modifier, scope);
    }
    if (node.type === "SELECT_NODE") this.#select(node, scope);
    else if (node.type === "SET_OPERATION_NODE") this.#union(node, scope);
    else if (node.type === "RECURSIVE_CTE_NODE") this.#recursion(node, scope);
    else this.forbid("the text is not a SELECT", "write a SELECT", offsetOf(node));
  }

  #with(node: SyntaxNode, around: Scope): Scope {
    const scope = new Set(around);
    for (const { key, value } of isNode(node.cte_map) ? nodesIn(node.cte_map.map) : []) {
      const query = isNode(value) && isNode(value.query) ? value.query.node : undefined;
      // A list has no source. It may be joined, but not read.
      if (typeof key === "string" && isList(query) && this.#lists.has(key.toLowerCase()))
        this.#list(query, scope);
      else if (isNode(query)) this.query(query, scope);
      if (typeof key === "string") scope.add(key.toLowerCase());
    }
    return scope;
  }

  #list({ from_table: values }: SyntaxNode, scope: Scope): void {
    this.#expressions(isNode(values) ? values.values : undefined, scope);
  }

  #modifier(modifier: SyntaxNode, node: SyntaxNode): void {
    const at = firstOffset(modifier, node);
    if (modifier.type === "DISTINCT_MODIFIER")
      this.#stateful("DISTINCT", "choose a primary_key: rows with the same key become one", at);
    else if (modifier.type === "ORDER_MODIFIER")
      this.#stateful("ORDER BY", "order the rows when you read them from the sink", at);
    else {
      if (!isOrdered(node)) this.limits.push(at);
      this.#stateful("LIMIT", "filter with WHERE, or give the source an end_block", at);
    }
  }

  #select(node: SyntaxNode, scope: Scope): void {
    if (node.group_sets !== undefined || node.aggregate_handling === "FORCE_AGGREGATES")
      this.#stateful("GROUP BY", aggregateWay, firstOffset(node.group_expressions, node));
    if (node.sample !== undefined)
      this.#stateful("a sample", "filter by a column", firstOffset(node.from_table, node));
    if (!this.#relation(node.from_table, scope))
      this.#unfit(
        "without a source, a SELECT gives its rows again for every batch",
        sourceWay,
        firstOffset(node.select_list, node),
      );
    // DuckDB may have expressions in any other part of a SELECT.
    for (const [name, part] of Object.entries(node)) if (!relations.has(name)) this.#expressions(part, scope);
  }

  #recursion(node: SyntaxNode, around: Scope): void {
    this.#stateful("WITH RECURSIVE", "write the query without recursion", firstOffset(node.left, node));
    const scope = new Set([...around, textIn(node, "cte_name").toLowerCase()]);
    for (const side of [node.left, node.right]) if (isNode(side)) this.query(side, scope);
  }

  #union(node: SyntaxNode, scope: Scope): void {
    const at = firstOffset(node.right, node);
    if (node.setop_type !== "UNION") this.#stateful(textIn(node, "setop_type"), "filter with WHERE", at);
    else if (node.setop_all === false) this.#stateful("UNION", "write UNION ALL", at);
    for (const side of [node.left, node.right]) if (isNode(side)) this.query(side, scope);
  }

  /** Whether it has rows of a source. */
  #relation(part: unknown, scope: Scope): boolean {
    const table = isNode(part) ? part : { type: "EMPTY" };
    const query = isNode(table.subquery) ? table.subquery.node : undefined;
    if (table.sample !== undefined) this.#stateful("a sample", "filter by a column", offsetOf(table));
    if (table.type === "JOIN") return this.#join(table, scope);
    if (table.type === "BASE_TABLE") this.#table(table, scope);
    else if (table.type === "TABLE_FUNCTION") this.#tableFunction(table, scope);
    else if (isNode(query)) this.query(query, scope);
    else if (table.type !== "EMPTY" && table.type !== "EXPRESSION_LIST")
      this.forbid(
        `a query cannot read FROM ${textIn(table, "type").toLowerCase()}`,
        sourceWay,
        offsetOf(table),
      );
    if (table.type === "EXPRESSION_LIST") this.#expressions(table.values, scope);
    return table.type === "BASE_TABLE" || table.type === "SUBQUERY";
  }

  #table(table: SyntaxNode, scope: Scope): void {
    const name = ["catalog_name", "schema_name", "table_name"]
      .map((part) => textIn(table, part))
      .filter((part) => part !== "")
      .join(".");
    const found = this.#lists.get(name.toLowerCase());
    if (found)
      this.#unfit(
        "without a source, a SELECT gives its rows again for every batch",
        `join the list with rows of a source: LEFT JOIN ${name} ON …`,
        offsetOf(table),
      );
    if (found && typeof found.list === "string") this.joins.push(found.list);
    else if (!scope.has(name.toLowerCase())) this.reads.push({ name, offset: offsetOf(table) });
  }

  #tableFunction(table: SyntaxNode, scope: Scope): void {
    const name = isNode(table.function) ? functionOf(table.function) : "";
    if (!harmless.has(name))
      this.forbid(`${name}() is not a source of the flow`, functionHint(name) ?? sourceWay, offsetOf(table));
    for (const child of isNode(table.function) ? nodesIn(table.function.children) : [])
      this.#expressions(child, scope);
  }

  /** A row that is joined with its own list is still a single row; joined with another table, it is not. */
  #join(table: SyntaxNode, scope: Scope): boolean {
    const { left, right } = table;
    const at = firstOffset(right, table);
    const lookup = lookupIn(table, this.#lists);
    if (lookup) return this.#lookup(lookup, table, scope);
    if (!isNode(right) || right.type !== "TABLE_FUNCTION") this.#stateful("a join", joinWay, at);
    else if (table.join_type !== "INNER")
      this.#stateful(`a ${textIn(table, "join_type").toLowerCase()} join`, "write a comma before unnest", at);
    const isSource = this.#relation(left, scope);
    this.#relation(right, scope);
    this.#expressions(table.condition, scope);
    return isSource;
  }

  #lookup(lookup: LookupJoin | LookupFault, { left, right, condition }: SyntaxNode, scope: Scope): boolean {
    if (!("list" in lookup)) this.#unfit(lookup.message, lookup.hint, firstOffset(lookup.at, lookup.at));
    if ("list" in lookup && typeof lookup.list === "string") this.joins.push(lookup.list);
    const list = isNode(right) && isNode(right.subquery) ? right.subquery.node : undefined;
    if (isNode(list)) this.#list(list, scope);
    const isSource = this.#relation(left, scope);
    this.#expressions(condition, scope);
    return isSource;
  }

  #expressions(part: unknown, scope: Scope): void {
    for (const node of syntaxNodes(part)) {
      if (node.class === "SUBQUERY") {
        const query = isNode(node.subquery) ? node.subquery.node : undefined;
        const list = comparedList(query);
        if (list !== undefined) {
          this.#expressions(list, scope);
          continue;
        }
        this.#stateful("a subquery in an expression", subqueryWay, offsetOf(node));
        if (isNode(query)) this.query(query, scope);
      } else if (node.class === "WINDOW")
        this.#stateful(
          "a window function",
          "compute it when you read from the sink, or let Flink do it with --engine flink=<gateway>",
          offsetOf(node),
        );
      else if (node.class === "FUNCTION") this.#call(node);
      else if (node.class === "COLUMN_REF") this.#column(node);
      else if (isDouble(node)) this.doubles.push(offsetOf(node));
    }
  }

  #column(node: SyntaxNode): void {
    const names: readonly unknown[] = Array.isArray(node.column_names) ? node.column_names : [];
    const [name] = names;
    if (names.length !== 1 || typeof name !== "string") return;
    const away = `write <table>.${name} for a column of that name`;
    const bare = name.toLowerCase();
    if (clocks.has(bare)) this.#clock(bare, `${timeWay}; ${away}`, node);
    else if (/^(?:current|session)_/.test(bare) && surroundings.has(bare))
      this.#surrounding(bare, `${columnWay}; ${away}`, node);
  }

  #clock(what: string, hint: string, node: SyntaxNode): void {
    this.forbid(
      `${what} gives the time of the run, so that no row can be computed again`,
      hint,
      offsetOf(node),
    );
  }

  #surrounding(what: string, hint: string, node: SyntaxNode): void {
    this.forbid(`${what} says something about the engine, and not about the row`, hint, offsetOf(node));
  }

  #call(node: SyntaxNode): void {
    const name = functionOf(node);
    if (clocks.has(name)) this.#clock(`${name}()`, timeWay, node);
    // With one moment, it is compared with today.
    if (name === "age" && nodesIn(node.children).length === 1)
      this.#clock("age() of one time", timeWay, node);
    if (surroundings.has(name)) this.#surrounding(`${name}()`, columnWay, node);
    this.#function(name, offsetOf(node));
    if (!isLookup(name)) return;
    const [table] = nodesIn(node.children);
    const value = table?.class === "CONSTANT" && isNode(table.value) ? textIn(table.value, "value") : "";
    if (value !== "" && table) this.lookups.push({ name: value, offset: offsetOf(table) });
    else
      this.forbid(
        `${name}() requires the name of a dynamic table as text`,
        `write ${name}('table', value)`,
        offsetOf(node),
      );
  }

  #function(name: string, offset: number): void {
    this.calls.push({ name, offset });
    if (this.#functions.aggregates.has(name))
      this.#stateful(`${name.replace("_star", "")}()`, aggregateWay, offset);
    else if (name === "error")
      this.forbid(
        "error() would stop the sinks for good",
        "leave such rows out with WHERE, or give null",
        offset,
      );
    else if (this.#functions.volatile.has(name))
      this.forbid(
        `${name}() gives another result each time, so that no row can be computed again`,
        name.includes("uuid") ? "use the id of the row, or keccak256 of its columns" : columnWay,
        offset,
      );
  }

  #stateful(what: string, hint: string, offset: number): void {
    this.#unfit(`${what} needs more than one row at a time`, hint, offset);
  }

  #unfit(message: string, hint: string, offset: number): void {
    this.faults.push({ code: "sql-not-streaming", message, hint, offset });
  }
}

/**
 * The list in `value = ANY (list)`, which DuckDB reads like `value IN (SELECT unnest(list))`. It belongs to the row
 * itself. @returns `undefined` for any other subquery
 */
function comparedList(query: unknown): unknown {
  if (!isNode(query) || query.type !== "SELECT_NODE" || !isNode(query.from_table)) return undefined;
  const [item, ...others] = nodesIn(query.select_list);
  const named = isNode(query.cte_map) ? nodesIn(query.cte_map.map) : [];
  const isAlone = Object.keys(query).every((name) => partsOfList.has(name));
  const isList = item && functionOf(item) === "unnest" && query.from_table.type === "EMPTY";
  return isAlone && isList && others.length + named.length === 0 ? item : undefined;
}

const partsOfList = new Set(["type", "cte_map", "select_list", "from_table", "aggregate_handling"]);

function isOrdered({ modifiers }: SyntaxNode): boolean {
  return nodesIn(modifiers).some(({ type }) => type === "ORDER_MODIFIER");
}

function functionOf(node: SyntaxNode): string {
  return textIn(node, "function_name").toLowerCase();
}

function isDouble({ class: kind, value }: SyntaxNode): boolean {
  return kind === "CONSTANT" && isNode(value) && isNode(value.type) && value.type.id === "DOUBLE";
}
