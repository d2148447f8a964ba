import { isNode } from "../../../src/pipelines/sql/syntax-tree.js";

/** Functions that have another name in Flink's SQL. */
const renamed: Readonly<Record<string, string>> = { char_length: "length", character_length: "length" };

/** Types that DuckDB calls otherwise. */
const types: Readonly<Record<string, string>> = { "TIMESTAMP(6)": "TIMESTAMP" };

/** A query in Flink's SQL as DuckDB reads it: with its quotes and texts, which hold the same. */
export function inDuckDb(printed: string): string {
  return printed.replaceAll(
    /U&'((?:[^']|'')*)'|'(?:[^']|'')*'|`((?:[^`]|``)*)`|TIMESTAMP\(6\)| ROWS(?=\n|$|\))/g,
    (token, escaped?: string, name?: string) => {
      if (escaped !== undefined)
        return `'${escaped.replaceAll(/\\(\\|[0-9a-f]{4})/g, (_, code: string) => (code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 16))))}'`;
      if (name !== undefined) return `"${name.replaceAll("``", "`").replaceAll('"', '""')}"`;
      if (token === " ROWS") return "";
      return types[token] ?? token;
    },
  );
}

/** A syntax tree as far as it means something: without places, and without what both trees say in several ways. */
export function meaning(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(meaning);
  if (!isNode(part)) return part;
  const members = Object.entries(part).filter(
    ([name, value]) =>
      !["query_location", "schema", "is_operator", "aggregate_handling"].includes(name) && !isEmpty(value),
  );
  const known = Object.fromEntries(members.map(([name, value]) => [name, meaning(value)]));
  if (typeof known.function_name === "string")
    known.function_name = renamed[known.function_name.toLowerCase()] ?? known.function_name.toLowerCase();
  // A list in brackets and one after ARRAY.
  if (known.type === "ARRAY_CONSTRUCTOR")
    Object.assign(known, { class: "FUNCTION", type: "FUNCTION", function_name: "list_value" });
  if (known.function_name !== undefined) known.order_bys ??= { type: "ORDER_MODIFIER" };
  // DuckDB reads a minus before a number as a part of the number, but not one that is called as a function.
  const [operand, ...more] = Array.isArray(known.children) ? known.children : [];
  if (known.function_name === "-" && more.length === 0 && isNode(operand) && isNode(operand.value)) {
    const value = negated(operand.value.value);
    const alias = known.alias !== undefined && { alias: known.alias };
    if (value !== undefined) return { ...operand, ...alias, value: { ...operand.value, value } };
  }
  // The printer says where nulls are, because Flink puts them elsewhere.
  if (known.null_order === "ORDER_DEFAULT")
    known.null_order = known.type === "DESCENDING" ? "ORDER_DEFAULT" : "NULLS LAST";
  // So is what each row is joined to its own list by.
  if (isNode(known.right) && known.right.type === "TABLE_FUNCTION") {
    if (isTrue(known.condition)) delete known.condition;
    if (known.condition === undefined && known.ref_type === "REGULAR") known.ref_type = "CROSS";
  }
  if (typeof known.table_name === "string") known.table_name = known.table_name.toLowerCase();
  return known;
}

/** The other number; `undefined` for what is none. Large integers are texts. */
function negated(value: unknown): number | string | undefined {
  if (typeof value === "number") return value === 0 ? 0 : -value;
  if (typeof value !== "string" || !/^-?\d+$/.test(value)) return undefined;
  return value.startsWith("-") ? value.slice(1) : `-${value}`;
}

function isTrue(condition: unknown): boolean {
  return (
    isNode(condition) &&
    condition.class === "CAST" &&
    isNode(condition.child) &&
    isNode(condition.child.value) &&
    condition.child.value.value === "t"
  );
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
