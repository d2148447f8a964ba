import { isNode, nodesIn, offsetOf, type SyntaxNode, textIn } from "../sql/syntax-tree.js";
import type { IntegerForm } from "./column-types.js";
import { type ExpressionPrinter, flinkFunction } from "./flink-functions.js";
import { flinkType } from "./flink-types.js";
import { quotedName, quotedText } from "./sql-text.js";

/** A part of a query that has no form in Flink's SQL. */
export class PrintFault extends Error {
  override readonly name = "PrintFault";
  readonly hint: string;
  /** In bytes of the query; -1 for the whole query. */
  readonly offset: number;

  constructor(message: string, hint: string, offset: number) {
    super(message);
    this.hint = hint;
    this.offset = offset;
  }
}

/**
 * Prints a query that DuckDB has parsed, in Flink's SQL. The two read texts differently, so Flink never gets the user's own
 * text: whatever the check has not seen would run there. A part that is not known here is refused.
 * @param tree as DuckDB serializes it
 * @param tables the names of the nodes that the query may read, by their names in lower case
 * @throws PrintFault
 */
export function printQuery(
  tree: unknown,
  tables: ReadonlyMap<string, string>,
  integers: IntegerForm,
): string {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  return new QueryPrinter(tables, integers).query(statement?.node);
}

/** Names of the queries that WITH defines, by their names in lower case. */
type Scope = ReadonlyMap<string, string>;

const comparisons: Readonly<Record<string, string>> = {
  COMPARE_EQUAL: "=",
  COMPARE_NOTEQUAL: "<>",
  COMPARE_LESSTHAN: "<",
  COMPARE_GREATERTHAN: ">",
  COMPARE_LESSTHANOREQUALTO: "<=",
  COMPARE_GREATERTHANOREQUALTO: ">=",
  COMPARE_DISTINCT_FROM: "IS DISTINCT FROM",
  COMPARE_NOT_DISTINCT_FROM: "IS NOT DISTINCT FROM",
};

/** What a node may have besides its own members. */
const common = ["class", "type", "query_location"];

class QueryPrinter implements ExpressionPrinter {
  readonly integers: IntegerForm;
  readonly #tables: ReadonlyMap<string, string>;
  #scope: Scope = new Map();

  constructor(tables: ReadonlyMap<string, string>, integers: IntegerForm) {
    this.#tables = tables;
    this.integers = integers;
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
      return `${this.#name(name, node)}${this.#names(value.aliases, node)} AS (\n${query}\n)`;
    });
    return printed.length === 0 ? "" : `WITH ${printed.join(",\n")}\n`;
  }

  #setOperation(node: SyntaxNode): string {
    only(node, ["modifiers", "cte_map", "setop_type", "setop_all", "left", "right"], "a set operation");
    const kind = textIn(node, "setop_type");
    if (!["UNION", "INTERSECT", "EXCEPT"].includes(kind)) refuse(kind, "write UNION ALL", node);
    // The members that DuckDB leaves out are true by default.
    const all = node.setop_all === false ? "" : " ALL";
    return `(${this.query(node.left)})\n${kind}${all}\n(${this.query(node.right)})`;
  }

  #modifier(modifier: SyntaxNode, items: readonly SyntaxNode[]): string {
    switch (modifier.type) {
      case "DISTINCT_MODIFIER":
        return "";
      case "ORDER_MODIFIER":
        return `\nORDER BY ${this.#orders(modifier.orders, items)}`;
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

  /** @param items what numbers such as `ORDER BY 1` stand for */
  #orders(list: unknown, items: readonly SyntaxNode[]): string {
    return nodesIn(list)
      .map((order) => {
        const way = order.type === "DESCENDING" ? " DESC" : "";
        const nulls = textIn(order, "null_order");
        // DuckDB puts nulls last in both directions; Flink takes them for the lowest.
        const place = nulls === "ORDER_DEFAULT" ? (way === "" ? " NULLS LAST" : "") : ` ${nulls}`;
        return `${this.expression(itemOf(order.expression, items))}${way}${place}`;
      })
      .join(", ");
  }

  #select(node: SyntaxNode, isDistinct: boolean): string {
    only(
      node,
      [
        ...["modifiers", "cte_map", "select_list", "from_table", "where_clause", "group_expressions"],
        ...["group_sets", "aggregate_handling", "having"],
      ],
      "a SELECT",
    );
    if (node.aggregate_handling !== "STANDARD_HANDLING")
      refuse("GROUP BY ALL", "list the columns after GROUP BY", node);
    const items = nodesIn(node.select_list);
    const listed = items.map((item) => this.#item(item)).join(", ");
    const parts = [`SELECT ${isDistinct ? "DISTINCT " : ""}${listed}`];
    const from = isNode(node.from_table) ? node.from_table : { type: "EMPTY" };
    if (from.type !== "EMPTY") parts.push(`FROM ${this.#relation(from)}`);
    if (node.where_clause !== undefined) parts.push(`WHERE ${this.expression(node.where_clause)}`);
    if (node.group_sets !== undefined) parts.push(`GROUP BY ${this.#groups(node, items)}`);
    if (node.having !== undefined) parts.push(`HAVING ${this.expression(node.having)}`);
    return parts.join("\n");
  }

  #item(item: SyntaxNode): string {
    if (item.class === "STAR") {
      only(item, ["relation_name"], "*");
      const of = textIn(item, "relation_name");
      return of === "" ? "*" : `${this.#name(of, item)}.*`;
    }
    const { alias, ...rest } = item;
    const printed = this.expression(rest);
    return typeof alias === "string" ? `${printed} AS ${this.#name(alias, item)}` : printed;
  }

  #groups(node: SyntaxNode, items: readonly SyntaxNode[]): string {
    const all = nodesIn(node.group_expressions).map((one) => this.expression(itemOf(one, items)));
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
    const name = this.#scope.get(key) ?? this.#tables.get(key);
    if (name === undefined) return refuse(`the table ${written}`, "read a source or a transform", table);
    return `${this.#name(name, table)}${this.#alias(table)}`;
  }

  #values(rows: readonly (readonly SyntaxNode[])[]): string {
    return `VALUES ${rows.map((row) => `(${row.map((one) => this.expression(one)).join(", ")})`).join(", ")}`;
  }

  #join(table: SyntaxNode): string {
    only(table, ["left", "right", "condition", "join_type", "ref_type", "using_columns"], "a join");
    const [left, right] = [isNode(table.left) ? table.left : {}, isNode(table.right) ? table.right : {}];
    const kind = textIn(table, "join_type");
    const form = textIn(table, "ref_type");
    if (right.type === "TABLE_FUNCTION") return `${this.#relation(left)}\n${this.#unnest(right, kind)}`;
    if (form === "CROSS") return `${this.#relation(left)}\nCROSS JOIN ${this.#joined(right)}`;
    if (form !== "REGULAR" || !["INNER", "LEFT", "RIGHT", "FULL"].includes(kind))
      refuse(`a ${form.toLowerCase()} ${kind.toLowerCase()} join`, "write JOIN … ON", table);
    const on =
      table.condition === undefined
        ? ` USING ${this.#names(table.using_columns, table).trim()}`
        : ` ON ${this.expression(table.condition)}`;
    return `${this.#relation(left)}\n${kind} JOIN ${this.#joined(right)}${on}`;
  }

  /** The right side of a join, which is a join of its own only in parentheses. */
  #joined(table: SyntaxNode): string {
    return table.type === "JOIN" ? `(${this.#relation(table)})` : this.#relation(table);
  }

  #unnest(table: SyntaxNode, kind: string): string {
    only(table, ["alias", "function", "column_name_alias"], "unnest");
    const call = isNode(table.function) ? table.function : {};
    const [list, ...more] = nodesIn(call.children);
    if (
      textIn(call, "function_name").toLowerCase() !== "unnest" ||
      !list ||
      more.length > 0 ||
      kind !== "INNER"
    )
      refuse("a table function other than unnest of one list", "read a source or a transform", table);
    return `CROSS JOIN UNNEST(${this.expression(list)})${this.#alias(table)}`;
  }

  #alias(table: SyntaxNode): string {
    const alias = textIn(table, "alias");
    return alias === ""
      ? ""
      : ` AS ${this.#name(alias, table)}${this.#names(table.column_name_alias, table)}`;
  }

  /** Names in parentheses; nothing for none. */
  #names(list: unknown, node: SyntaxNode): string {
    const names = Array.isArray(list) ? list.map((name) => this.#name(String(name), node)) : [];
    return names.length === 0 ? "" : ` (${names.join(", ")})`;
  }

  #name(name: string, node: SyntaxNode): string {
    if (name === "" || /[\r\n]/.test(name)) refuse("a name with a line break", "choose another name", node);
    return quotedName(name);
  }

  expression(part: unknown): string {
    const node = isNode(part) ? part : {};
    switch (node.class) {
      case "COLUMN_REF":
        only(node, ["column_names"], "a column");
        return (Array.isArray(node.column_names) ? node.column_names : [])
          .map((name) => this.#name(String(name), node))
          .join(".");
      case "CONSTANT":
        only(node, ["value"], "a value");
        return constant(isNode(node.value) ? node.value : {}, node);
      case "CAST":
        return this.#cast(node);
      case "COMPARISON":
        return this.#comparison(node);
      case "CONJUNCTION":
        only(node, ["children"], "AND and OR");
        return parenthesized(
          nodesIn(node.children).map((one) => this.expression(one)),
          node.type === "CONJUNCTION_AND" ? " AND " : " OR ",
        );
      case "OPERATOR":
        return this.#operator(node);
      case "BETWEEN":
        only(node, ["input", "lower", "upper"], "BETWEEN");
        return `(${this.expression(node.input)} BETWEEN ${this.expression(node.lower)} AND ${this.expression(node.upper)})`;
      case "CASE":
        return this.#case(node);
      case "SUBQUERY":
        return this.#subquery(node);
      case "FUNCTION":
        return this.#call(node);
      case "WINDOW":
        return this.#window(node);
      default:
        return refuse(nameOfClass(node), "write it otherwise", node);
    }
  }

  #cast(node: SyntaxNode): string {
    only(node, ["child", "cast_type", "try_cast"], "a cast");
    const { child, cast_type: type } = node;
    const truth = truthOf(node);
    if (truth !== undefined) return truth ? "TRUE" : "FALSE";
    const name = flinkType(type, this.integers);
    if (name === undefined) return refuse("a cast to this type", "cast to a type that Flink has", node);
    return `${node.try_cast === true ? "TRY_CAST" : "CAST"}(${this.expression(child)} AS ${name})`;
  }

  #comparison(node: SyntaxNode): string {
    only(node, ["left", "right"], "a comparison");
    const sign = comparisons[textIn(node, "type")];
    if (sign === undefined) return refuse(textIn(node, "type"), "write it otherwise", node);
    return `(${this.expression(node.left)} ${sign} ${this.expression(node.right)})`;
  }

  #operator(node: SyntaxNode): string {
    only(node, ["children"], "an operator");
    const all = nodesIn(node.children).map((one) => this.expression(one));
    const [first = "", ...rest] = all;
    switch (node.type) {
      case "OPERATOR_IS_NULL":
        return `(${first} IS NULL)`;
      case "OPERATOR_IS_NOT_NULL":
        return `(${first} IS NOT NULL)`;
      case "OPERATOR_NOT":
        return `(NOT ${first})`;
      case "OPERATOR_COALESCE":
        return `COALESCE(${all.join(", ")})`;
      case "COMPARE_IN":
        return `(${first} IN (${rest.join(", ")}))`;
      case "COMPARE_NOT_IN":
        return `(${first} NOT IN (${rest.join(", ")}))`;
      default:
        return refuse(textIn(node, "type").toLowerCase().replace("_", " "), "write it otherwise", node);
    }
  }

  #case(node: SyntaxNode): string {
    only(node, ["case_checks", "else_expr"], "CASE");
    const whens = nodesIn(node.case_checks).map(
      (check) => `WHEN ${this.expression(check.when_expr)} THEN ${this.expression(check.then_expr)}`,
    );
    return `CASE ${whens.join(" ")} ELSE ${this.expression(node.else_expr)} END`;
  }

  #subquery(node: SyntaxNode): string {
    only(node, ["subquery_type", "subquery", "child", "comparison_type"], "a subquery");
    const query = this.query(isNode(node.subquery) ? node.subquery.node : undefined);
    switch (node.subquery_type) {
      case "EXISTS":
        return `EXISTS (\n${query}\n)`;
      case "NOT_EXISTS":
        return `(NOT EXISTS (\n${query}\n))`;
      case "SCALAR":
        return `(\n${query}\n)`;
      case "ANY":
        if (node.comparison_type === "COMPARE_EQUAL")
          return `(${this.expression(node.child)} IN (\n${query}\n))`;
    }
    return refuse("ANY and ALL", "write IN, EXISTS, or a comparison with min or max", node);
  }

  #call(node: SyntaxNode): string {
    only(
      node,
      ["function_name", "schema", "children", "filter", "order_bys", "distinct", "is_operator"],
      "a function",
    );
    return this.#called(node);
  }

  #called(node: SyntaxNode): string {
    const name = textIn(node, "function_name").toLowerCase();
    const isOrdered = isNode(node.order_bys) && nodesIn(node.order_bys.orders).length > 0;
    if (isOrdered) refuse(`ORDER BY within ${name}()`, "order the rows before", node);
    const print = ["", "main"].includes(textIn(node, "schema")) ? flinkFunction(name) : undefined;
    const args = nodesIn(node.children);
    const printed = print?.(args, this, node.distinct === true);
    if (printed === undefined)
      return refuse(`${name}()`, "use another function, or compute it in a script", node);
    return node.filter === undefined ? printed : `${printed} FILTER (WHERE ${this.expression(node.filter)})`;
  }

  #window(node: SyntaxNode): string {
    only(
      node,
      [
        ...["function_name", "schema", "children", "partitions", "orders", "start", "end", "start_expr"],
        ...["end_expr", "offset_expr", "default_expr", "distinct", "filter"],
      ],
      "a window function",
    );
    const extra = [node.offset_expr, node.default_expr].filter((one) => one !== undefined);
    const name = textIn(node, "function_name").toLowerCase();
    const isCount = name === "count" && nodesIn(node.children).length === 0;
    const call = this.#called({
      ...node,
      function_name: isCount ? "count_star" : name,
      children: [...nodesIn(node.children), ...extra],
    });
    const parts: string[] = [];
    const partitions = nodesIn(node.partitions).map((one) => this.expression(one));
    if (partitions.length > 0) parts.push(`PARTITION BY ${partitions.join(", ")}`);
    if (nodesIn(node.orders).length > 0) parts.push(`ORDER BY ${this.#orders(node.orders, [])}`);
    const [start, end] = [textIn(node, "start"), textIn(node, "end")];
    if (start !== "UNBOUNDED_PRECEDING" || end !== "CURRENT_ROW_RANGE")
      parts.push(
        this.#frame(
          { kind: start, expression: node.start_expr },
          { kind: end, expression: node.end_expr },
          node,
        ),
      );
    return `${call} OVER (${parts.join(" ")})`;
  }

  #frame(start: FrameEnd, end: FrameEnd, node: SyntaxNode): string {
    const isRange = [start, end].some(({ kind }) => kind.endsWith("_RANGE"));
    if (isRange && [start, end].some(({ kind }) => kind.endsWith("_ROWS")))
      refuse("this frame", "write ROWS BETWEEN", node);
    const side = ({ kind, expression }: FrameEnd): string => {
      const [, way = ""] = /^(?:EXPR|UNBOUNDED)_(PRECEDING|FOLLOWING)/.exec(kind) ?? [];
      if (kind.startsWith("UNBOUNDED_")) return `UNBOUNDED ${way}`;
      if (kind.startsWith("CURRENT_ROW")) return "CURRENT ROW";
      if (kind.startsWith("EXPR_") && way !== "") return `${this.expression(expression)} ${way}`;
      return refuse("this frame", "write ROWS BETWEEN", node);
    };
    return `${isRange ? "RANGE" : "ROWS"} BETWEEN ${side(start)} AND ${side(end)}`;
  }
}

interface FrameEnd {
  readonly kind: string;
  readonly expression: unknown;
}

/** @throws PrintFault */
function refuse(what: string, hint: string, node: unknown): never {
  throw new PrintFault(
    `graphloom cannot translate ${what} for Flink`,
    hint,
    isNode(node) ? offsetOf(node) : -1,
  );
}

/** Refuses a node with a member that would be lost. @throws PrintFault */
function only(node: SyntaxNode, members: readonly string[], what: string): void {
  const unknown = Object.keys(node).find((name) => !members.includes(name) && !common.includes(name));
  if (unknown !== undefined)
    refuse(`${what} with ${unknown.replaceAll("_", " ")}`, "write it otherwise", node);
}

function parenthesized(parts: readonly string[], between: string): string {
  return `(${parts.join(between)})`;
}

/** What a number in ORDER BY or GROUP BY stands for; another expression stands for itself. */
function itemOf(part: unknown, items: readonly SyntaxNode[]): unknown {
  const place =
    isNode(part) && part.class === "CONSTANT" && isNode(part.value) ? part.value.value : undefined;
  if (typeof place !== "number") return part;
  const item = items[place - 1];
  if (!item || item.class === "STAR") return refuse("a number of a column", "write the column's name", part);
  const { alias: _, ...expression } = item;
  return expression;
}

/** The rows of `VALUES`, which DuckDB wraps into a query; `undefined` for any other query. */
function valuesOf(query: unknown): readonly (readonly SyntaxNode[])[] | undefined {
  const from = isNode(query) && isNode(query.from_table) ? query.from_table : {};
  if (from.type !== "EXPRESSION_LIST" || !Array.isArray(from.values)) return undefined;
  return from.values.map((row: unknown) => nodesIn(row));
}

/** The value of TRUE and FALSE, which DuckDB makes of casts. */
function truthOf({ child, cast_type: type, try_cast: isTry }: SyntaxNode): boolean | undefined {
  if (!isNode(type) || type.id !== "BOOLEAN" || isTry === true) return undefined;
  const value =
    isNode(child) && child.class === "CONSTANT" && isNode(child.value) ? child.value.value : undefined;
  return value === "t" ? true : value === "f" ? false : undefined;
}

function constant(value: SyntaxNode, node: SyntaxNode): string {
  if (value.is_null === true) return "NULL";
  const type = isNode(value.type) ? value.type : {};
  const content = value.value;
  switch (type.id) {
    case "VARCHAR":
      if (typeof content === "string") return quotedText(content);
      break;
    case "BOOLEAN":
      if (typeof content === "boolean") return content ? "TRUE" : "FALSE";
      break;
    case "DOUBLE":
      if (typeof content === "number") return content.toExponential().toUpperCase().replace("E+", "E");
      break;
    case "DECIMAL": {
      const scale = isNode(type.type_info) ? Number(type.type_info.scale ?? 0) : 0;
      const digits = integerOf(content);
      if (digits !== undefined) return decimalText(digits, scale);
      break;
    }
    default: {
      const integer = /^(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|UBIGINT|UHUGEINT)$/.test(String(type.id))
        ? integerOf(content)
        : undefined;
      if (integer !== undefined) return signed(String(integer));
    }
  }
  return refuse("a value of this type", "write text in quotes, and cast it", node);
}

/** An integer as DuckDB writes it: a number, digits, or two halves of 64 bits. */
function integerOf(value: unknown): bigint | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value === "string") return /^-?\d+$/.test(value) ? BigInt(value) : undefined;
  if (!isNode(value)) return undefined;
  const [upper, lower] = [integerOf(value.upper ?? 0), integerOf(value.lower ?? 0)];
  return upper === undefined || lower === undefined ? undefined : (upper << 64n) + lower;
}

function decimalText(digits: bigint, scale: number): string {
  const all = String(digits < 0n ? -digits : digits).padStart(scale + 1, "0");
  const text = scale === 0 ? all : `${all.slice(0, -scale)}.${all.slice(-scale)}`;
  return signed(digits < 0n ? `-${text}` : text);
}

/** A minus before a number would make a comment together with another one. */
function signed(text: string): string {
  return text.startsWith("-") ? `(${text})` : text;
}

function nameOfClass(node: SyntaxNode): string {
  return (textIn(node, "class") || textIn(node, "type") || "such expression")
    .toLowerCase()
    .replaceAll("_", " ");
}
