import { type ConstDirectiveNode, type ConstValueNode, Kind } from "graphql";

type Values = ReadonlyMap<string, ConstValueNode>;

/** The arguments of a definition's directive; nothing without the directive. */
export function argumentsOf(
  { directives }: { readonly directives?: readonly ConstDirectiveNode[] | undefined },
  name: string,
): Values | undefined {
  const found = directives?.find((directive) => directive.name.value === name);
  return found && new Map(found.arguments?.map((one) => [one.name.value, one.value]));
}

/** The text of a string or an enum value. */
export function constantText(value: ConstValueNode | undefined): string | undefined {
  return value?.kind === Kind.STRING || value?.kind === Kind.ENUM ? value.value : undefined;
}

/** The items of a list. */
export function itemsOf(value: ConstValueNode | undefined): readonly ConstValueNode[] {
  return value?.kind === Kind.LIST ? value.values : [];
}

/** The strings in a list. */
export function texts(value: ConstValueNode | undefined): readonly string[] {
  return itemsOf(value).flatMap((item) => constantText(item) ?? []);
}
