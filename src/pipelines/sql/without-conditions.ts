import { changedTree, isNode, type SyntaxNode } from "./syntax-tree.js";

/**
 * The tree of a query that still computes each WHERE, but lets every row pass.
 * @param tree as DuckDB serializes it
 * @returns `undefined` if the query has no WHERE
 */
export function withoutConditions(tree: unknown): unknown {
  return changedTree(tree, (node) =>
    node.type === "SELECT_NODE" && isNode(node.where_clause)
      ? { ...node, where_clause: always(node.where_clause) }
      : undefined,
  );
}

/** A condition that is true of every row. Unlike with `true`, DuckDB computes all its parts. */
function always(condition: SyntaxNode): SyntaxNode {
  const test = (type: string): SyntaxNode => ({ class: "OPERATOR", type, alias: "", children: [condition] });
  return {
    class: "CONJUNCTION",
    type: "CONJUNCTION_OR",
    alias: "",
    children: [test("OPERATOR_IS_NULL"), test("OPERATOR_IS_NOT_NULL")],
  };
}
