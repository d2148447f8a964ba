import { castOf, constant } from "../../sql/made-nodes.js";
import { changedTree, isNode, type SyntaxNode } from "../../sql/syntax-tree.js";

/** Answers a question of one parameter with one value. */
export type Ask = (sql: string, text: string) => Promise<unknown>;

const serialize = "select json_serialize_sql($1::VARCHAR)";

/**
 * Rewrites a query by changing its syntax tree.
 * @param change returns the new tree; `undefined` if nothing changes
 * @returns `undefined` if nothing changes, or if DuckDB cannot print the tree so that it means the same
 */
export async function rewriteQuery(
  query: string,
  change: (tree: unknown) => unknown,
  ask: Ask,
): Promise<string | undefined> {
  const marked = markNumbers(String(await ask(serialize, query)));
  const changed = change(JSON.parse(marked.json));
  if (changed === undefined) return undefined;
  const exact = changedTree(changed, (node) => doubleAsCast(node, marked.textOf)) ?? changed;
  const json = marked.restore(JSON.stringify(exact));
  const printed = await ask("select json_deserialize_sql($1::JSON)", json);
  const again = String(await ask(serialize, String(printed)));
  return withoutPlaces(again) === withoutPlaces(json) ? String(printed) : undefined;
}

/** A floating-point number as a cast of its digits. DuckDB prints `1e9` as `1000000000.0`, which is a decimal. */
function doubleAsCast(node: SyntaxNode, textOf: (value: unknown) => string): SyntaxNode | undefined {
  const value = node.class === "CONSTANT" && isNode(node.value) ? node.value : {};
  if (!isNode(value.type) || value.type.id !== "DOUBLE" || value.is_null === true) return undefined;
  const { alias = "" } = node;
  return { ...castOf(constant("VARCHAR", textOf(value.value)), value.type, false), alias };
}

/** A tree without the places in the query, which differ after printing. */
function withoutPlaces(json: string): string {
  const { json: marked, restore } = markNumbers(json);
  const tree: unknown = JSON.parse(marked);
  const plain = changedTree(tree, innerList) ?? tree;
  return restore(JSON.stringify(plain, (key, value) => (key === "query_location" ? undefined : value)));
}

/** DuckDB prints `VALUES` as a query of itself: `SELECT * FROM (VALUES …) AS valueslist`. */
function innerList({ type, alias, subquery }: SyntaxNode): SyntaxNode | undefined {
  const query = type === "SUBQUERY" && alias === "valueslist" && isNode(subquery) ? subquery.node : undefined;
  const list = isNode(query) ? query.from_table : undefined;
  return isNode(list) && list.type === "EXPRESSION_LIST" ? list : undefined;
}

interface MarkedJson {
  readonly json: string;
  restore(changed: string): string;
  /** The text of a number, marked or not. */
  textOf(value: unknown): string;
}

/** JSON in which numbers that JavaScript would print differently are texts until they are restored. */
function markNumbers(json: string): MarkedJson {
  let mark = "@";
  while (json.includes(`"${mark}`)) mark += "@";
  const marked = json.replaceAll(/"(?:[^"\\]|\\.)*"|-?(?:\d[\d.eE+-]*|Infinity)|NaN/g, (part) =>
    part.startsWith('"') || JSON.stringify(Number(part)) === part ? part : `"${mark}${part}"`,
  );
  return {
    json: marked,
    restore: (changed) => changed.replaceAll(new RegExp(`"${mark}([^"]+)"`, "g"), "$1"),
    textOf: (value) => String(value).replace(new RegExp(`^${mark}`), ""),
  };
}
