import type { ConstDirectiveNode, ConstValueNode } from "graphql";

interface Directed {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

/** Finds a directive by name. */
export function directiveOf({ directives }: Directed, name: string): ConstDirectiveNode | undefined {
  return directives?.find((directive) => directive.name.value === name);
}

/** The value of a directive's argument. */
export function argumentOf(node: Directed, directive: string, argument: string): ConstValueNode | undefined {
  return directiveOf(node, directive)?.arguments?.find(({ name }) => name.value === argument)?.value;
}
