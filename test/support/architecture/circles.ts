/**
 * The cycles of a graph: every set of nodes that all reach each other, sorted, without single nodes.
 * @param arrows from a node to a node
 */
export function circlesIn(arrows: readonly (readonly [from: string, to: string])[]): readonly string[][] {
  const next = new Map<string, Set<string>>();
  for (const [from, to] of arrows) {
    next.set(from, (next.get(from) ?? new Set()).add(to));
    if (!next.has(to)) next.set(to, new Set());
  }
  const reach = new Map([...next.keys()].map((node) => [node, reachedFrom(node, next)]));
  const circles = new Map<string, string[]>();
  for (const [node, reached] of reach) {
    if (!reached.has(node)) continue;
    const circle = [...reached].filter((other) => reach.get(other)?.has(node)).sort();
    circles.set(circle.join(" "), circle);
  }
  return [...circles.values()];
}

/** The nodes that a node reaches; itself only through a cycle. */
function reachedFrom(start: string, next: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const other of next.get(node) ?? []) {
      if (reached.has(other)) continue;
      reached.add(other);
      open.push(other);
    }
  }
  return reached;
}
