import { allNodes, textIn } from "../sql/syntax-tree.js";

/**
 * Whether a query may read a column of a table. It may if it mentions the column's name or `*`, unless of another table, or
 * if it gives the columns of the table other names.
 * @param tree as DuckDB serializes it
 */
export function mayRead(tree: unknown, table: string, column: string): boolean {
  const nodes = [...allNodes(tree)];
  const uses = nodes.filter((node) => node.type === "BASE_TABLE" && same(textIn(node, "table_name"), table));
  const names = [table, ...uses.map((use) => textIn(use, "alias"))];
  const isTable = (name: string): boolean => names.some((one) => same(one, name));
  const isColumn = (name: string): boolean => same(name, column);
  return (
    uses.some((use) => textsIn(use.column_name_alias).length > 0) ||
    nodes.some((node) => {
      const of = textIn(node, "relation_name");
      if (node.class === "STAR") return of === "" || isTable(of);
      if (textsIn(node.using_columns).some(isColumn)) return true;
      const [first = "", ...others] = textsIn(node.column_names);
      // `amount`, `transfers.amount`, or a part of a column: `amount.part`.
      return isColumn(first) || (others.some(isColumn) && [first, ...others].some(isTable));
    })
  );
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** Whether names are the same, as DuckDB compares them. */
function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
