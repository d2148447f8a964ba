import type { RowColumn } from "../../changes/schema.js";
import { isNode, nodesIn, type SyntaxNode, textIn } from "../../sql/syntax-tree.js";
import type { IntegerForm } from "../column-types.js";
import { quotedName } from "../sql-text.js";
import { IntegerKinds, mayBeLarge, type ReadTable } from "./integer-kinds.js";
import { truthOf } from "./print-constant.js";
import { FlinkExpressions, itemOf, printedName } from "./print-expression.js";
import { only, refuse } from "./print-fault.js";

/**
 * Prints a query that DuckDB has parsed, in Flink's SQL. The two lex texts differently, so Flink never gets the
 * user's own text: it would run parts that the check has not seen. An unknown part is refused.
 * @param tree as DuckDB serializes it
 * @param tables what the query may read, by the names in lower case
 * @param columns the columns that the query gives
 * @throws PrintFault
 */
export function printQuery(
  tree: unknown,
  tables: ReadonlyMap<string, ReadTable>,
  integers: IntegerForm,
  columns: readonly RowColumn[],
): string {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  const kinds = integers === "string" ? new IntegerKinds(tree, tables) : undefined;
  const printed = new QueryPrinter(tables, kinds).query(statement?.node);
  const outputs = kinds?.outputs(statement?.node) ?? [];
  const isSame = columns.every(({ type }, index) => type !== "DECIMAL" || outputs[index]?.kind === "large");
  return checked(!kinds || isSame ? printed : withTexts(printed, columns));
}

/** A query whose integers of 256 bits are text, even if Flink has computed them as numbers. */
function withTexts(query: string, columns: readonly RowColumn[]): string {
  const items = columns.map(({ name, type }) => {
    const column = quotedName(name);
    return type === "DECIMAL" ? `CAST(${column} AS STRING) AS ${column}` : column;
  });
  const names = columns.map(({ name }) => quotedName(name)).join(", ");
  return `SELECT ${items.join(", ")}\nFROM (\n${query}\n) AS \`computed\` (${names})`;
}

/** Names of the queries that WITH defines, by their names in lower case. */
type Scope = ReadonlyMap<string, string>;

class QueryPrinter {
  readonly #tables: ReadonlyMap<string, ReadTable>;
  readonly #kinds: IntegerKinds | undefined;
  readonly #expressions: FlinkExpressions;
  #scope: Scope = new Map();

  /** @param kinds finds the integers of 256 bits, if they are text */
  constructor(tables: ReadonlyMap<string, ReadTable>, kinds: IntegerKinds | undefined) {
    this.#tables = tables;
    this.#kinds = kinds;
    this.#expressions = new FlinkExpressions(kinds, (node) => this.query(node));
  }

  query(part: unknown): string {
    const node = isNode(part) ? part : {};
    const around = this.#scope;
    const named = this.#with(node);
    try {
      const body = this.#body(node);
      return `${named}${body}`;
    } finally {
      this.#scope = around;
    }
  }

  #body(node: SyntaxNode): string {
    const modifiers = nodesIn(node.modifiers);
    const isDistinct = modifiers.some((one) => one.type === "DISTINCT_MODIFIER");
    for (const one of modifiers)
      if (one.type === "DISTINCT_MODIFIER" && nodesIn(one.distinct_on_targets).length > 0)
        refuse("DISTINCT ON", "use row_number() in a subquery", node);
    const items = node.type === "SELECT_NODE" ? nodesIn(node.select_list) : [];
    const end = modifiers.map((one) => this.#modifier(one, items)).join("");
    if (node.type === "SELECT_NODE") return `${this.#select(node, isDistinct)}${end}`;
    if (node.type !== "SET_OPERATION_NODE") return refuse(textIn(node, "type"), "write a SELECT", node);
    if (isDistinct) refuse("DISTINCT here", "write it in the SELECT", node);
    return `${this.#setOperation(node)}${end}`;
  }

  #with(node: SyntaxNode): string {
    const entries = isNode(node.cte_map) ? nodesIn(node.cte_map.map) : [];
    const printed = entries.map((entry) => {
      const value = isNode(entry.value) ? entry.value : {};
      only(value, ["aliases", "query", "materialized"], "WITH");
      const name = textIn(entry, "key");
      if (this.#tables.has(name.toLowerCase()))
        refuse(`a WITH that has the name of a source, ${name}`, "choose another name", value.query);
      const query = isNode(value.query) ? this.query(value.query.node) : "";
      this.#scope = new Map([...this.#scope, [name.toLowerCase(), name]]);
      return `${printedName(name, node)}${this.#names(value.aliases, node)} AS (\n${query}\n)`;
    });
    return printed.length === 0 ? "" : `WITH ${printed.join(",\n")}\n`;
  }

  #setOperation(node: SyntaxNode): string {
    only(node, ["modifiers", "cte_map", "setop_type", "setop_all", "left", "right"], "a set operation");
    const kind = textIn(node, "setop_type");
    if (!["UNION", "INTERSECT", "EXCEPT"].includes(kind)) refuse(kind, "write UNION ALL", node);
    this.#checkSides(node);
    // Members that DuckDB leaves out are true by default.
    const all = node.setop_all === false ? "" : " ALL";
    return `(${this.query(node.left)})\n${kind}${all}\n(${this.query(node.right)})`;
  }

  /** Refuses a set operation that has an integer of 256 bits and something else in one column. */
  #checkSides({ left, right }: SyntaxNode): void {
    const [ofLeft, ofRight] = [this.#kinds?.outputs(left), this.#kinds?.outputs(right)];
    const hint = "list the columns, and cast the other integers AS BIGNUM";
    for (const [index, { kind }] of (ofLeft ?? ofRight ?? []).entries()) {
      const other = (ofLeft ? ofRight : ofLeft)?.[index] ?? { kind: "unclear" };
      const isNull = kind === undefined || other.kind === undefined;
      if (!isNull && kind !== other.kind && (mayBeLarge(kind) || mayBeLarge(other.kind)))
        refuse("a column with integers of 256 bits on one side only", hint, right);
    }
  }

  #modifier(modifier: SyntaxNode, items: readonly SyntaxNode[]): string {
    switch (modifier.type) {
      case "DISTINCT_MODIFIER":
        return "";
      case "ORDER_MODIFIER":
        return `\nORDER BY ${this.#expressions.orders(modifier.orders, items)}`;
      case "LIMIT_MODIFIER": {
        const count = modifier.limit === undefined ? "" : `\nLIMIT ${this.#count(modifier.limit)}`;
        return modifier.offset === undefined
          ? count
          : `${count}\nOFFSET ${this.#count(modifier.offset)} ROWS`;
      }
      default:
        return refuse(textIn(modifier, "type"), "write LIMIT with a number", modifier);
    }
  }

  #count(part: unknown): string {
    const value = isNode(part) && isNode(part.value) ? part.value.value : undefined;
    const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
    return /^\d+$/.test(text) ? text : refuse("a LIMIT that is computed", "write a number", part);
  }

  #select(node: SyntaxNode, isDistinct: boolean): string {
    only(
      node,
      [
        "modifiers",
        "cte_map",
        "select_list",
        "from_table",
        "where_clause",
        "group_expressions",
        "group_sets",
        "aggregate_handling",
        "having",
      ],
      "a SELECT",
    );
    if (node.aggregate_handling !== "STANDARD_HANDLING")
      refuse("GROUP BY ALL", "list the columns after GROUP BY", node);
    const items = nodesIn(node.select_list);
    const listed = items.map((item) => this.#item(item, node.from_table)).join(", ");
    const parts = [`SELECT ${isDistinct ? "DISTINCT " : ""}${listed}`];
    const from = isNode(node.from_table) ? node.from_table : { type: "EMPTY" };
    if (from.type !== "EMPTY") parts.push(`FROM ${this.#relation(from)}`);
    if (node.where_clause !== undefined)
      parts.push(`WHERE ${this.#expressions.expression(node.where_clause)}`);
    if (node.group_sets !== undefined) parts.push(`GROUP BY ${this.#groups(node, items)}`);
    if (node.having !== undefined) parts.push(`HAVING ${this.#expressions.expression(node.having)}`);
    return parts.join("\n");
  }

  #item(item: SyntaxNode, from: unknown): string {
    if (item.class === "STAR") {
      only(item, ["relation_name", "exclude_list"], "*");
      if (Array.isArray(item.exclude_list) && item.exclude_list.length > 0)
        refuse("* with EXCLUDE", "list the columns", item);
      if (hasMerged(from))
        refuse("* beside USING, which Flink puts first among the columns", "list the columns", item);
      const of = textIn(item, "relation_name");
      return of === "" ? "*" : `${printedName(of, item)}.*`;
    }
    const { alias, ...rest } = item;
    const printed = this.#expressions.expression(rest);
    return typeof alias === "string" ? `${printed} AS ${printedName(alias, item)}` : printed;
  }

  #groups(node: SyntaxNode, items: readonly SyntaxNode[]): string {
    const all = nodesIn(node.group_expressions).map((one) =>
      this.#expressions.expression(itemOf(one, items)),
    );
    const sets = (Array.isArray(node.group_sets) ? node.group_sets : []).map((set: unknown) =>
      (Array.isArray(set) ? set : []).map((index: unknown) => all[Number(index)] ?? ""),
    );
    const [only] = sets;
    if (sets.length === 1 && only && only.length > 0) return only.join(", ");
    return `GROUPING SETS (${sets.map((set) => `(${set.join(", ")})`).join(", ")})`;
  }

  #relation(table: SyntaxNode): string {
    switch (table.type) {
      case "BASE_TABLE":
        return this.#table(table);
      case "SUBQUERY": {
        only(table, ["alias", "subquery", "column_name_alias"], "a subquery");
        const query = isNode(table.subquery) ? table.subquery.node : undefined;
        const rows = valuesOf(query);
        const inner = rows ? this.#values(rows) : this.query(query);
        return `(\n${inner}\n)${this.#alias(table)}`;
      }
      case "JOIN":
        return this.#join(table);
      default:
        return refuse(`FROM ${textIn(table, "type").toLowerCase()}`, "read a source or a transform", table);
    }
  }

  #table(table: SyntaxNode): string {
    only(table, ["alias", "table_name", "column_name_alias"], "a table");
    const written = textIn(table, "table_name");
    const key = written.toLowerCase();
    const name = this.#scope.get(key) ?? this.#tables.get(key)?.name;
    if (name === undefined) return refuse(`the table ${written}`, "read a source or a transform", table);
    return `${printedName(name, table)}${this.#alias(table)}`;
  }

  #values(rows: readonly (readonly SyntaxNode[])[]): string {
    return `VALUES ${rows.map((row) => `(${row.map((one) => this.#expressions.expression(one)).join(", ")})`).join(", ")}`;
  }

  #join(table: SyntaxNode): string {
    only(table, ["left", "right", "condition", "join_type", "ref_type", "using_columns"], "a join");
    const [left, right] = [isNode(table.left) ? table.left : {}, isNode(table.right) ? table.right : {}];
    const kind = textIn(table, "join_type");
    const form = textIn(table, "ref_type");
    if (right.type === "TABLE_FUNCTION") {
      const isFree = form === "CROSS" || (form === "REGULAR" && isTrue(table.condition));
      if (!isFree || kind !== "INNER")
        refuse("a join of unnest with a condition", "write the condition after WHERE", table);
      return `${this.#relation(left)}\n${this.#unnest(right)}`;
    }
    if (form === "CROSS") return `${this.#relation(left)}\nCROSS JOIN ${this.#joined(right)}`;
    if (form !== "REGULAR" || !["INNER", "LEFT", "RIGHT", "FULL"].includes(kind))
      refuse(`a ${form.toLowerCase()} ${kind.toLowerCase()} join`, "write JOIN … ON", table);
    for (const name of Array.isArray(table.using_columns) ? table.using_columns : [])
      if (this.#kinds?.of({ class: "COLUMN_REF", column_names: [name] }) === "unclear")
        refuse(
          `a join by ${name}, an integer of 256 bits on one side only`,
          "write ON, and cast one side",
          table,
        );
    const on =
      table.condition === undefined
        ? ` USING ${this.#names(table.using_columns, table).trim()}`
        : ` ON ${this.#expressions.expression(table.condition)}`;
    return `${this.#relation(left)}\n${kind} JOIN ${this.#joined(right)}${on}`;
  }

  /** The right side of a join. A join on this side needs parentheses. */
  #joined(table: SyntaxNode): string {
    return table.type === "JOIN" ? `(${this.#relation(table)})` : this.#relation(table);
  }

  #unnest(table: SyntaxNode): string {
    only(table, ["alias", "function", "column_name_alias"], "unnest");
    const call = isNode(table.function) ? table.function : {};
    const [list, ...more] = nodesIn(call.children);
    if (textIn(call, "function_name").toLowerCase() !== "unnest" || !list || more.length > 0)
      refuse("a table function other than unnest of one list", "read a source or a transform", table);
    return `CROSS JOIN UNNEST(${this.#expressions.expression(list)})${this.#alias(table)}`;
  }

  #alias(table: SyntaxNode): string {
    const alias = textIn(table, "alias");
    return alias === ""
      ? ""
      : ` AS ${printedName(alias, table)}${this.#names(table.column_name_alias, table)}`;
  }

  /** Names in parentheses; empty if there are none. */
  #names(list: unknown, node: SyntaxNode): string {
    const names = Array.isArray(list) ? list.map((name) => printedName(String(name), node)) : [];
    return names.length === 0 ? "" : ` (${names.join(", ")})`;
  }
}

/** The rows of `VALUES`, which DuckDB wraps into a query; `undefined` for any other query. */
function valuesOf(query: unknown): readonly (readonly SyntaxNode[])[] | undefined {
  const node = isNode(query) ? query : {};
  const from = isNode(node.from_table) ? node.from_table : {};
  if (from.type !== "EXPRESSION_LIST" || !Array.isArray(from.values)) return undefined;
  const named = isNode(node.cte_map) ? nodesIn(node.cte_map.map) : [];
  if (nodesIn(node.modifiers).length > 0 || named.length > 0)
    refuse("VALUES with other clauses", "write them in the query that reads it", query);
  return from.values.map((row: unknown) => nodesIn(row));
}

/** Whether a join merges columns of both sides, as USING does. */
function hasMerged(table: unknown): boolean {
  if (!isNode(table) || table.type !== "JOIN") return false;
  return Array.isArray(table.using_columns) || hasMerged(table.left) || hasMerged(table.right);
}

/** Whether a condition is the word TRUE. */
function isTrue(condition: unknown): boolean {
  return isNode(condition) && condition.class === "CAST" && truthOf(condition) === true;
}

/** The most characters of a query. */
const longest = 500_000;

/** Matches the texts and names of a statement. */
const quoted = /'(?:[^']|'')*'|`(?:[^`]|``)*`/g;

/**
 * A final check, in case the printing above overlooks something: a user's text must not become a comment, a hint or
 * another statement.
 */
function checked(statement: string): string {
  if (statement.length > longest)
    refuse(
      "this query, which becomes too long with integers of 256 bits",
      "compute parts of the integers in a transform of their own",
      undefined,
    );
  if (/--|\/\*|[;"'`\\]/.test(statement.replaceAll(quoted, " ")))
    refuse("this query", "write it otherwise", undefined);
  return statement;
}
