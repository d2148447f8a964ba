import { isNode, nodesIn, type SyntaxNode, textIn } from "./syntax-tree.js";

/**
 * The texts that a query's condition allows for a column; `undefined` if it does not limit them. Only equations and
 * lists joined by AND are considered, so rows that this excludes never satisfy the condition.
 * @param tree as DuckDB serializes it
 * @param column in lower case
 */
export function requiredValues(tree: unknown, column: string): readonly string[] | undefined {
  const [statement] = isNode(tree) ? nodesIn(tree.statements) : [];
  const query = statement?.node;
  return isNode(query) && isNode(query.where_clause) ? valuesIn(query.where_clause, column) : undefined;
}

function valuesIn(condition: SyntaxNode, column: string): readonly string[] | undefined {
  switch (condition.type) {
    case "CONJUNCTION_AND": {
      const found = nodesIn(condition.children).flatMap((part) => {
        const values = valuesIn(part, column);
        return values ? [values] : [];
      });
      const [first, ...others] = found;
      return first?.filter((value) => others.every((values) => values.includes(value)));
    }
    case "COMPARE_EQUAL": {
      const sides = [condition.left, condition.right].filter(isNode);
      return sides.some((side) => isColumn(side, column)) ? textsOf(sides, column) : undefined;
    }
    case "COMPARE_IN": {
      const [tested, ...values] = nodesIn(condition.children);
      return tested && isColumn(tested, column) ? textsOf(values, column) : undefined;
    }
    default:
      return undefined;
  }
}

/** The texts of constants; `undefined` if there is anything else among them besides the column. */
function textsOf(nodes: readonly SyntaxNode[], column: string): readonly string[] | undefined {
  const texts: string[] = [];
  for (const node of nodes) {
    if (isColumn(node, column)) continue;
    const constant = node.class === "CONSTANT" && isNode(node.value) ? node.value : undefined;
    if (typeof constant?.value !== "string") return undefined;
    texts.push(constant.value);
  }
  return texts.length > 0 ? texts : undefined;
}

function isColumn(node: SyntaxNode, column: string): boolean {
  const names = Array.isArray(node.column_names) ? node.column_names : [];
  return textIn(node, "class") === "COLUMN_REF" && String(names.at(-1)).toLowerCase() === column;
}
