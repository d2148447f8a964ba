import { isNode, nodesIn, type SyntaxNode, textIn } from "../../sql/syntax-tree.js";
import { flinkType, type IntegerForm } from "../column-types.js";
import { type ExpressionPrinter, flinkFunction } from "../flink-functions.js";
import { quotedName, quotedText } from "../sql-text.js";
import { type IntegerKinds, mayBeLarge } from "./integer-kinds.js";
import { constant, truthOf } from "./print-constant.js";
import { only, refuse } from "./print-fault.js";
import { absolute, extreme, integerOf, isLess, type Limbs, limbsOf, negative } from "./text-integers.js";

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
  readonly #kinds: IntegerKinds | undefined;
  readonly #query: (node: unknown) => string;

  /**
   * @param kinds finds the integers of 256 bits, if they are text
   * @param query prints a query within an expression
   */
  constructor(kinds: IntegerKinds | undefined, query: (node: unknown) => string) {
    this.integers = kinds ? "string" : "decimal";
    this.#kinds = kinds;
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
        const item = itemOf(order.expression, items);
        if (this.#isLarge(item)) refuse("ORDER BY an integer of 256 bits", castHint, item);
        return `${this.expression(item)}${way}${place}`;
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
        if ([node.input, node.lower, node.upper].some((one) => this.#isLarge(one))) {
          const [input, lower, upper] = [node.input, node.lower, node.upper].map((one) => this.#text(one));
          return `((NOT ${isLess(input ?? "", lower ?? "")}) AND (NOT ${isLess(upper ?? "", input ?? "")}))`;
        }
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
    if (this.#kinds?.of(node) === "large") return this.#toLarge(node);
    if (this.#isLarge(child)) this.#checkCast(node);
    if (name === undefined) return refuse("a cast to this type", "cast to a type that Flink has", node);
    return `${node.try_cast === true ? "TRY_CAST" : "CAST"}(${this.expression(child)} AS ${name})`;
  }

  #comparison(node: SyntaxNode): string {
    only(node, ["left", "right"], "a comparison");
    const sign = comparisons[textIn(node, "type")];
    if (sign === undefined) return refuse(textIn(node, "type"), "write it otherwise", node);
    if (this.#isLarge(node.left) || this.#isLarge(node.right)) {
      const [left, right] = [this.#text(node.left), this.#text(node.right)];
      if (!/[<>]/.test(sign) || sign === "<>") return `(${left} ${sign} ${right})`;
      const isLeft = sign.startsWith("<") !== sign.endsWith("=");
      const less = isLeft ? isLess(left, right) : isLess(right, left);
      return sign.endsWith("=") ? `(NOT ${less})` : less;
    }
    return `(${this.expression(node.left)} ${sign} ${this.expression(node.right)})`;
  }

  #operator(node: SyntaxNode): string {
    only(node, ["children"], "an operator");
    const children = nodesIn(node.children);
    const areTexts =
      ["OPERATOR_COALESCE", "COMPARE_IN", "COMPARE_NOT_IN"].includes(textIn(node, "type")) &&
      children.some((one) => this.#isLarge(one));
    const all = children.map((one) => (areTexts ? this.#text(one) : this.expression(one)));
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
    const isText = this.#isLarge(node);
    const result = (part: unknown): string => (isText ? this.#text(part) : this.expression(part));
    const whens = nodesIn(node.case_checks).map(
      (check) => `WHEN ${this.expression(check.when_expr)} THEN ${result(check.then_expr)}`,
    );
    return `CASE ${whens.join(" ")} ELSE ${result(node.else_expr)} END`;
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
        if (node.comparison_type === "COMPARE_EQUAL") {
          const [one] = this.#kinds?.ofQuery(node.subquery) ?? [];
          if (this.#isLarge(node.child) || mayBeLarge(one?.kind))
            if (this.#kinds?.of(node.child) !== "large" || one?.kind !== "large")
              refuse("IN with an integer of 256 bits and something else", bignumHint, node);
          return `(${this.expression(node.child)} IN (\n${query}\n))`;
        }
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
    if (args.some((one) => this.#isLarge(one))) {
      const whole = this.#calledWithLarge(name, args, node);
      if (whole !== undefined) return whole;
    }
    const printed = print?.(args, this, node.distinct === true);
    if (printed === undefined)
      return refuse(`${name}()`, "use another function, or compute it in a script", node);
    return node.filter === undefined ? printed : `${printed} FILTER (WHERE ${this.expression(node.filter)})`;
  }

  /**
   * Prints a call with integers of 256 bits.
   * @returns `undefined` if it is printed like a call with other arguments
   */
  #calledWithLarge(name: string, args: readonly SyntaxNode[], node: SyntaxNode): string | undefined {
    const [arg, ...more] = args;
    if (name === "nullif") return `NULLIF(${args.map((one) => this.#text(one)).join(", ")})`;
    if (name === "abs") return absolute(this.#text(arg));
    if (name === "-" && more.length === 0) return negative(this.#text(arg));
    if (name === "+" && more.length === 0) return this.#text(arg);
    const isGroup = node.class === "FUNCTION" && more.length === 0;
    if (isGroup && (name === "min" || name === "max"))
      return extreme(name === "min" ? "MIN" : "MAX", this.#text(arg), this.#condition(node));
    if (name === "+" || name === "-" || (isGroup && name === "sum" && node.distinct !== true))
      return integerOf(this.#limbs(node));
    const isClear = args.every((one) => this.#kinds?.of(one) !== "unclear");
    if (isClear && (asText.has(name) || (more.length === 0 && passedOn.has(name)))) return undefined;
    const what = isClear ? `${name}() of an integer of 256 bits` : unclear(args);
    return refuse(what, isClear ? castHint : renameHint, node);
  }

  /** The limbs of an integer. Those of sums are sums of limbs, which are shorter than the limbs of a printed sum. */
  #limbs(part: unknown): Limbs {
    const node = isNode(part) ? part : {};
    const name = node.class === "FUNCTION" ? textIn(node, "function_name") : "";
    const [one, other, ...more] = nodesIn(node.children);
    if ((name === "+" || name === "-") && one && other && more.length === 0) {
      const [left, right] = [this.#limbs(one), this.#limbs(other)];
      return left.map((limb, index) => `(${limb} ${name} ${right[index]})`);
    }
    if (name.toLowerCase() === "sum" && !other && node.distinct !== true) {
      const where = this.#condition(node);
      return this.#limbs(one).map(
        (limb) => `SUM(${where === "" ? limb : `CASE WHEN ${where} THEN ${limb} END`})`,
      );
    }
    return limbsOf(this.#text(node));
  }

  /** The condition of an aggregate's rows; empty if it has none. */
  #condition({ filter }: SyntaxNode): string {
    return filter === undefined ? "" : this.expression(filter);
  }

  #isLarge(expression: unknown): boolean {
    return this.#kinds?.isLarge(expression) === true;
  }

  /** Prints an integer as text. @throws PrintFault for anything else */
  #text(node: unknown): string {
    const kind = this.#kinds?.of(node);
    if (kind === "unclear") return refuse(unclear([node]), renameHint, node);
    if (kind === "other")
      return refuse("an integer of 256 bits beside something that is not an integer", bignumHint, node);
    const printed = this.expression(node);
    if (kind === "large") return printed;
    if (kind === undefined) return "CAST(NULL AS STRING)";
    const isConstant = isNode(node) && node.class === "CONSTANT";
    return isConstant ? quotedText(printed.replaceAll(/[()]/g, "")) : `CAST(${printed} AS STRING)`;
  }

  /** Prints a cast to an integer of 256 bits. */
  #toLarge({ child, ...cast }: SyntaxNode): string {
    const value =
      isNode(child) && child.class === "CONSTANT" && isNode(child.value) ? child.value.value : undefined;
    const [, minus = "", digits] = /^(-?)0*(\d+)$/.exec(typeof value === "string" ? value : "") ?? [];
    if (digits !== undefined) return quotedText(digits === "0" ? digits : `${minus}${digits}`);
    if (this.#kinds?.of(child) === "other")
      return refuse("a cast to an integer of 256 bits", "cast an integer, or digits in quotes", {
        child,
        ...cast,
      });
    return this.#text(child);
  }

  /** Refuses casts of an integer of 256 bits that would stop the job on a large one. */
  #checkCast({ child, cast_type: type, try_cast: isTry, ...cast }: SyntaxNode): void {
    const id = textIn(isNode(type) ? type : {}, "id");
    if (this.#kinds?.of(child) === "unclear") refuse(unclear([child]), renameHint, child);
    if (["VARCHAR", "DOUBLE"].includes(id)) return;
    if (isTry !== true || !/^(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT|DECIMAL)$/.test(id))
      refuse("a cast of an integer of 256 bits, on which a larger one would stop the job", castHint, {
        child,
        ...cast,
      });
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

/** Functions that take integers as text, and functions that return their argument or count it. */
const asText: ReadonlySet<string> = new Set(["||", "concat"]);
const passedOn: ReadonlySet<string> = new Set(["count", "first_value", "last_value", "lag", "lead"]);

const castHint =
  "write TRY_CAST(… AS DECIMAL(38, 0)), which makes larger integers null, or CAST(… AS DOUBLE), which rounds them";
const bignumHint = "cast the other one AS BIGNUM if it is an integer, or this one AS VARCHAR or DOUBLE";
const renameHint = "give the columns different names";

/** Describes expressions whose names stand for integers of 256 bits and for something else. */
function unclear(expressions: readonly unknown[]): string {
  const names = expressions.flatMap((one) =>
    isNode(one) && Array.isArray(one.column_names) ? one.column_names : [],
  );
  const named = names.length > 0 ? `the column ${String(names.at(-1))}` : "this";
  return `${named}, which may or may not be an integer of 256 bits`;
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
