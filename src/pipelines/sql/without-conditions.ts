import { call, castOf, constant, typeNamed } from "./made-nodes.js";
import { changedTree, isNode, nodesIn, type SyntaxNode, textIn } from "./syntax-tree.js";

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

/**
 * A condition that is true of every row. Unlike with `true`, DuckDB computes all its parts, also those behind an AND or
 * OR that is decided already.
 */
function always(condition: SyntaxNode): SyntaxNode {
  // DuckDB knows without computing it that a list is not null, but nothing about its text.
  const text = castOf(call("list_value", partsOf(condition)), typeNamed("VARCHAR"), false);
  const right = constant("VARCHAR", "");
  return { class: "COMPARISON", type: "COMPARE_NOTEQUAL", alias: "", left: text, right };
}

function partsOf(condition: SyntaxNode): readonly SyntaxNode[] {
  return textIn(condition, "class") === "CONJUNCTION"
    ? nodesIn(condition.children).flatMap(partsOf)
    : [castOf(condition, typeNamed("BOOLEAN"), false)];
}
