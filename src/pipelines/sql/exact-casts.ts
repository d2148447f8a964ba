import { call, castOf, column, constant, typeNamed } from "./made-nodes.js";
import { changedTree, isNode, nodesIn, type SyntaxNode } from "./syntax-tree.js";

/**
 * The tree of a query whose casts work with exact integers. DuckDB does not implement casts between its BIGNUM and
 * most other types: `CAST(amount AS DECIMAL(38, 0))` fails for every row, and `TRY_CAST(amount AS BIGINT)` fails
 * instead of giving null. A cast through text makes both work. `NUMERIC(78)` is wider than any decimal of DuckDB, and
 * exact as a BIGNUM. So is `NUMERIC` without a width for a decoded value, which most often is an amount.
 * @param tree as DuckDB serializes it
 * @returns `undefined` if the query has no such cast
 */
export function withExactCasts(tree: unknown): unknown {
  return changedTree(tree, (node) => (node.class === "CAST" ? exactCast(node) : undefined));
}

/** Types whose values are numbers, without BIGNUM. */
const numbers = new Set([
  "TINYINT",
  "SMALLINT",
  "INTEGER",
  "BIGINT",
  "HUGEINT",
  "DECIMAL",
  "FLOAT",
  "DOUBLE",
  "UTINYINT",
  "USMALLINT",
  "UINTEGER",
  "UBIGINT",
  "UHUGEINT",
]);
const widestDecimal = 38;

function exactCast(cast: SyntaxNode): SyntaxNode | undefined {
  const given = isNode(cast.cast_type) ? cast.cast_type : {};
  const target = isWholeNumber(cast.child) && isBareDecimal(given) ? typeNamed("BIGNUM") : exactType(given);
  const { element, depth } = elementOf(target);
  const exact = target === given ? cast : { ...cast, cast_type: target };
  const ways = element.id === "BIGNUM" ? toBignum : numbers.has(String(element.id)) ? fromBignum : undefined;
  if (!ways) return target === given ? undefined : exact;
  // A value that is computed is computed once, which only a lambda can say.
  const isColumn = isNode(cast.child) && cast.child.class === "COLUMN_REF";
  const value = isColumn ? cast.child : column(parameter);
  const checks = ways.map(({ from, by }) => ({
    when_expr: isOfType(value, `${from}${"[]".repeat(depth)}`),
    then_expr: { ...exact, alias: "", child: castOf(value, listOf(by, depth), cast.try_cast) },
  }));
  const otherwise = { ...exact, alias: "", child: value };
  const chosen = { class: "CASE", type: "CASE_EXPR", alias: "", case_checks: checks, else_expr: otherwise };
  const whole = isColumn
    ? chosen
    : call("list_extract", [mapped(cast.child, chosen), constant("INTEGER", 1)]);
  return { ...whole, alias: cast.alias };
}

interface Way {
  /** The pattern of the type that a value has. */
  readonly from: string;
  /** The type that it is cast through. */
  readonly by: string;
}
const fromBignum: readonly Way[] = [{ from: "BIGNUM", by: "VARCHAR" }];
const toBignum: readonly Way[] = [
  { from: "DECIMAL(%)", by: "HUGEINT" },
  { from: "BOOLEAN", by: "INTEGER" },
];

/** BIGNUM in place of a decimal without a fraction that is wider than DuckDB's. */
function exactType(type: SyntaxNode): SyntaxNode {
  const info = isNode(type.type_info) ? type.type_info : {};
  if (type.id === "LIST") {
    const child = isNode(info.child_type) ? info.child_type : {};
    const exact = exactType(child);
    return exact === child ? type : { ...type, type_info: { ...info, child_type: exact } };
  }
  const isDecimal = type.id === "UNBOUND" && /^(decimal|numeric|dec)$/i.test(String(info.name));
  const [width, scale = 0] = (Array.isArray(info.user_type_modifiers) ? info.user_type_modifiers : []).map(
    (modifier: unknown) => (isNode(modifier) ? modifier.value : undefined),
  );
  const isWide = isDecimal && Number(width) > widestDecimal && Number(scale) === 0;
  return isWide ? typeNamed("BIGNUM") : type;
}

/** Whether a type is a decimal without a width. Syntax trees show it like `DECIMAL(18, 3)`. */
export function isBareDecimal({ type_info: info }: SyntaxNode): boolean {
  return isNode(info) && info.type === "DECIMAL_TYPE_INFO" && info.width === 18 && info.scale === 3;
}

/** Whether a value is one that a decoding function gives as text. If it is a number, it has no fraction. */
export function isWholeNumber(value: unknown): boolean {
  if (!isNode(value) || value.type !== "ARRAY_EXTRACT") return false;
  const [list] = nodesIn(value.children);
  const names: readonly unknown[] = Array.isArray(list?.column_names) ? list.column_names : [];
  return decodedLists.has(String(names.at(-1)).toLowerCase());
}

const decodedLists = new Set(["event_params", "decoded_inputs", "decoded_outputs"]);

/** The type of the values in lists of lists. */
function elementOf(type: SyntaxNode): { readonly element: SyntaxNode; readonly depth: number } {
  if (type.id !== "LIST" || !isNode(type.type_info) || !isNode(type.type_info.child_type))
    return { element: type, depth: 0 };
  const { element, depth } = elementOf(type.type_info.child_type);
  return { element, depth: depth + 1 };
}

const parameter = "graphloom$value";

function listOf(element: string, depth: number): SyntaxNode {
  if (depth === 0) return typeNamed(element);
  const child = listOf(element, depth - 1);
  return {
    id: "LIST",
    type_info: { type: "LIST_TYPE_INFO", alias: "", extension_info: null, child_type: child },
  };
}

function isOfType(value: unknown, pattern: string): SyntaxNode {
  return call("~~", [call("typeof", [value]), constant("VARCHAR", pattern)]);
}

/** A list of one value, changed by an expression of the parameter. */
function mapped(value: unknown, expression: SyntaxNode): SyntaxNode {
  const lambda = { class: "LAMBDA", type: "LAMBDA", alias: "", lhs: column(parameter), expr: expression };
  return call("list_transform", [call("list_value", [value]), lambda]);
}
