/** A node of a syntax tree, with members that are not known to be there. */
export type SyntaxNode = Readonly<Record<string, unknown>>;

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A member that is a text; empty if it is none. */
export function textIn(node: SyntaxNode, name: string): string {
  const value = node[name];
  return typeof value === "string" ? value : "";
}

/** All nodes of a part of the tree, outer ones first. @param leftOut the name of members to skip */
export function* allNodes(part: unknown, leftOut?: string): Generator<SyntaxNode> {
  if (Array.isArray(part)) for (const item of part) yield* allNodes(item, leftOut);
  if (!isNode(part)) return;
  yield part;
  for (const [name, value] of Object.entries(part)) if (name !== leftOut) yield* allNodes(value, leftOut);
}

/** The nodes of a part of the tree, outer ones first, without the nodes of subqueries. */
export function syntaxNodes(part: unknown): Generator<SyntaxNode> {
  return allNodes(part, "subquery");
}

/**
 * A tree with replaced nodes, from the inside out.
 * @param change returns a replacement for a node whose members were already changed; `undefined` keeps it
 * @returns `undefined` if nothing changes
 */
export function changedTree(tree: unknown, change: (node: SyntaxNode) => SyntaxNode | undefined): unknown {
  let isChanged = false;
  const visit = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(visit);
    if (!isNode(part)) return part;
    const visited = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, visit(value)]));
    const changed = change(visited);
    isChanged ||= changed !== undefined;
    return changed ?? visited;
  };
  const changed = visit(tree);
  return isChanged ? changed : undefined;
}

/** The nodes of a list; empty if it is none. */
export function nodesIn(list: unknown): readonly SyntaxNode[] {
  return Array.isArray(list) ? list.filter(isNode) : [];
}

/** The byte position of a node; -1 if the tree has none. */
export function offsetOf(node: SyntaxNode): number {
  return typeof node.query_location === "number" ? node.query_location : -1;
}

/** The position of the first part that has one, or else of the node around it. */
export function firstOffset(part: unknown, around: SyntaxNode): number {
  for (const node of syntaxNodes(part)) if (offsetOf(node) !== -1) return offsetOf(node);
  return offsetOf(around);
}
