import type { PlannedSource, PlannedTransform } from "./pipeline-plan.js";

/** Names of a node and of all that it reads, directly or not. */
export function nodesBefore(
  name: string,
  { transforms }: { readonly transforms: readonly PlannedTransform[] },
): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (node: string): void => {
    reached.add(node);
    for (const before of transforms.find((transform) => transform.name === node)?.reads ?? []) visit(before);
  };
  visit(name);
  return reached;
}

/** The sources that lead to a node, directly or not. */
export function sourcesBefore(
  name: string,
  plan: { readonly sources: readonly PlannedSource[]; readonly transforms: readonly PlannedTransform[] },
): readonly PlannedSource[] {
  const before = nodesBefore(name, plan);
  return plan.sources.filter((source) => before.has(source.name));
}
