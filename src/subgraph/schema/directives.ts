import type { ConstDirectiveNode, ConstValueNode } from "graphql";

interface Directed {
  readonly directives?: readonly ConstDirectiveNode[] | undefined;
}

export function directiveOf({ directives }: Directed, name: string): ConstDirectiveNode | undefined {
  return directives?.find((directive) => directive.name.value === name);
}

export function argumentOf(node: Directed, directive: string, argument: string): ConstValueNode | undefined {
  return directiveOf(node, directive)?.arguments?.find(({ name }) => name.value === argument)?.value;
}
