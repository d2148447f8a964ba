import type { RowColumn, RowSchema } from "../changes/schema.js";
import { isNode, nodesIn, type SyntaxNode, textIn } from "../sql/syntax-tree.js";
import type { PlannedSource, PlannedTransform } from "./pipeline-plan.js";

type PlannedNode = PlannedSource | PlannedTransform;

/**
 * The sources before a node whose rows replace earlier ones, with the columns that a sink's key is copied from.
 * @param from the node that the sink reads
 * @returns for each such source the place of each column of the sink's key among its columns; `undefined` as places if the
 * key is not that of the source, column by column
 */
export function keyCopies(
  from: string,
  { columns, key }: RowSchema,
  nodes: readonly PlannedNode[],
): ReadonlyMap<PlannedSource, readonly number[] | undefined> {
  const places = key.map((name) => columns.findIndex((column) => column.name === name));
  const found = new Map<PlannedSource, readonly number[] | undefined>();
  for (const { source, copied } of pathsTo(from, nodes)) {
    const own = places.map((place) => copied[place]);
    const names = own.map((place) => source.schema.columns[place ?? -1]?.name);
    const wanted = source.schema.key;
    const isKey = names.length === wanted.length && wanted.every((name) => names.includes(name));
    const copies = isKey ? own.flatMap((place) => place ?? []) : undefined;
    // Two branches of a query may bring the columns of the key in another order.
    const isOne = !found.has(source) || String(found.get(source)) === String(copies);
    found.set(source, isOne ? copies : undefined);
  }
  return found;
}

/** A way from a source to a node. */
interface Path {
  readonly source: PlannedSource;
  /** For each column of the node, the column of the source that it is a copy of; `undefined` if it is computed. */
  readonly copied: readonly (number | undefined)[];
}

/** All ways from sources whose rows replace earlier ones. */
function pathsTo(name: string, nodes: readonly PlannedNode[]): readonly Path[] {
  const node = nodes.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (!node) return [];
  if (!("reads" in node))
    return node.replaces ? [{ source: node, copied: node.schema.columns.map((_, index) => index) }] : [];
  const computed = node.schema.columns.map(() => undefined);
  const selects = node.query ? selectsOf(node.query.tree) : undefined;
  if (!selects)
    return node.reads.flatMap((read) => pathsTo(read, nodes)).map((path) => ({ ...path, copied: computed }));
  return selects.flatMap((select) => {
    const table = firstTable(select.from_table);
    const read =
      table && nodes.find((one) => one.name.toLowerCase() === textIn(table, "table_name").toLowerCase());
    if (!read) return [];
    const picked = pickedColumns(select, table, read.schema.columns) ?? computed;
    return pathsTo(read.name, nodes).map(({ source, copied }) => ({
      source,
      copied: picked.map((place) => (place === undefined ? undefined : copied[place])),
    }));
  });
}

/** The SELECTs whose rows a query has; `undefined` for a query that has more than SELECT and UNION ALL. */
function selectsOf(tree: unknown): readonly SyntaxNode[] | undefined {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  const visit = (node: unknown): readonly SyntaxNode[] | undefined => {
    if (!isNode(node) || (isNode(node.cte_map) && nodesIn(node.cte_map.map).length > 0)) return undefined;
    if (node.type === "SELECT_NODE") return firstTable(node.from_table) ? [node] : undefined;
    if (node.type !== "SET_OPERATION_NODE" || node.setop_type !== "UNION") return undefined;
    const sides = "children" in node ? nodesIn(node.children) : [node.left, node.right];
    const found = sides.map(visit);
    return found.every((side) => side !== undefined) ? found.flat() : undefined;
  };
  return visit(statement?.node);
}

/** The table that a SELECT reads. What is joined with it are lists, in which rows are looked up. */
function firstTable(from: unknown): SyntaxNode | undefined {
  if (!isNode(from)) return undefined;
  if (from.type === "JOIN") return firstTable(from.left);
  const isRenamed = Array.isArray(from.column_name_alias) && from.column_name_alias.length > 0;
  return from.type === "BASE_TABLE" && !isRenamed ? from : undefined;
}

/** For each column of a SELECT, the column of its table that it is; `undefined` as a whole if that is not known. */
function pickedColumns(
  select: SyntaxNode,
  table: SyntaxNode,
  columns: readonly RowColumn[],
): readonly (number | undefined)[] | undefined {
  const name = (textIn(table, "alias") || textIn(table, "table_name")).toLowerCase();
  const picked: (number | undefined)[] = [];
  for (const item of nodesIn(select.select_list)) {
    if (item.class === "STAR") {
      const of = textIn(item, "relation_name").toLowerCase();
      const isChanged = ["exclude_list", "replace_list", "qualified_exclude_list", "rename_list"].some(
        (list) => nodesOrTexts(item[list]).length > 0,
      );
      if (isChanged || isNode(item.expr) || (of === "" ? select.from_table !== table : of !== name))
        return undefined;
      picked.push(...columns.keys());
    } else picked.push(item.class === "COLUMN_REF" ? placeOf(item, name, columns) : undefined);
  }
  return picked;
}

/** The place of the column that an expression names; `undefined` for a column of another table. */
function placeOf(
  { column_names: names }: SyntaxNode,
  table: string,
  columns: readonly RowColumn[],
): number | undefined {
  const words = nodesOrTexts(names).map((word) => String(word).toLowerCase());
  if (words.length > 2 || (words.length === 2 && words[0] !== table)) return undefined;
  const place = columns.findIndex((column) => column.name.toLowerCase() === words.at(-1));
  return place === -1 ? undefined : place;
}

function nodesOrTexts(list: unknown): readonly unknown[] {
  return Array.isArray(list) ? list : [];
}
