import { isNode, type SyntaxNode } from "./syntax-tree.js";

/**
 * The tree of a query that computes each WHERE as before, and then lets every row pass.
 * @param tree as DuckDB serializes it
 * @returns `undefined` if the query has no WHERE
 */
export function withoutConditions(tree: unknown): unknown {
  let isChanged = false;
  const visit = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(visit);
    if (!isNode(part)) return part;
    const visited = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, visit(value)]));
    if (part.type !== "SELECT_NODE" || !isNode(visited.where_clause)) return visited;
    isChanged = true;
    return { ...visited, where_clause: always(visited.where_clause) };
  };
  const changed = visit(tree);
  return isChanged ? changed : undefined;
}

/** A condition that is true of every row. Unlike of `true`, DuckDB computes all parts of it. */
function always(condition: SyntaxNode): SyntaxNode {
  const test = (type: string): SyntaxNode => ({ class: "OPERATOR", type, alias: "", children: [condition] });
  return {
    ...{ class: "CONJUNCTION", type: "CONJUNCTION_OR", alias: "" },
    children: [test("OPERATOR_IS_NULL"), test("OPERATOR_IS_NOT_NULL")],
  };
}
