import { isNode, nodesIn, type SyntaxNode, textIn } from "../../sql/syntax-tree.js";
import { flinkType, type IntegerForm } from "../column-types.js";
import { type ExpressionPrinter, flinkFunction } from "../flink-functions.js";
import { quotedName } from "../sql-text.js";
import { constant, truthOf } from "./print-constant.js";
import { only, refuse } from "./print-fault.js";

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

/** Prints the expressions of a query. */
export class FlinkExpressions implements ExpressionPrinter {
  readonly integers: IntegerForm;
  readonly #query: (node: unknown) => string;

  /** @param query prints a query within an expression */
  constructor(integers: IntegerForm, query: (node: unknown) => string) {
    this.integers = integers;
    this.#query = query;
  }

  /** @param items the expressions that numbers such as in `ORDER BY 1` refer to */
  orders(list: unknown, items: readonly SyntaxNode[]): string {
    return nodesIn(list)
      .map((order) => {
        const way = order.type === "DESCENDING" ? " DESC" : "";
        const nulls = textIn(order, "null_order");
        // DuckDB puts nulls last in both directions; Flink treats them as the lowest values.
        const place = nulls === "ORDER_DEFAULT" ? (way === "" ? " NULLS LAST" : "") : ` ${nulls}`;
        return `${this.expression(itemOf(order.expression, items))}${way}${place}`;
      })
      .join(", ");
  }

  expression(part: unknown): string {
    const node = isNode(part) ? part : {};
    switch (node.class) {
      case "COLUMN_REF":
        only(node, ["column_names"], "a column");
        return (Array.isArray(node.column_names) ? node.column_names : [])
          .map((name) => printedName(String(name), node))
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
    const query = this.#query(isNode(node.subquery) ? node.subquery.node : undefined);
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
        "function_name",
        "schema",
        "children",
        "partitions",
        "orders",
        "start",
        "end",
        "start_expr",
        "end_expr",
        "offset_expr",
        "default_expr",
        "distinct",
        "filter",
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
    if (nodesIn(node.orders).length > 0) parts.push(`ORDER BY ${this.orders(node.orders, [])}`);
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

/** A printed name. @throws PrintFault if Flink's lexer cannot read it */
export function printedName(name: string, node: SyntaxNode): string {
  if (name === "" || /[\r\n]/.test(name)) refuse("a name with a line break", "choose another name", node);
  return quotedName(name);
}

/** The expression that a number in ORDER BY or GROUP BY refers to; other expressions are returned unchanged. */
export function itemOf(part: unknown, items: readonly SyntaxNode[]): unknown {
  const { type, value: place } =
    isNode(part) && part.class === "CONSTANT" && isNode(part.value) ? part.value : {};
  if (typeof place !== "number" || !isNode(type) || !/INT(?:EGER)?$/.test(String(type.id))) return part;
  const item = items[place - 1];
  if (!item || item.class === "STAR") return refuse("a number of a column", "write the column's name", part);
  const { alias: _, ...expression } = item;
  return expression;
}

function parenthesized(parts: readonly string[], between: string): string {
  return `(${parts.join(between)})`;
}

function nameOfClass(node: SyntaxNode): string {
  return (textIn(node, "class") || textIn(node, "type") || "such expression")
    .toLowerCase()
    .replaceAll("_", " ");
}
