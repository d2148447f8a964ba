import { type ConstDirectiveNode, type DefinitionNode, Kind } from "graphql";
import { constantText, itemsOf } from "./directive-values.js";
import type { ModelFulltext } from "./model.js";

/**
 * The searches declared in a definition. Only the type `_Schema_` has them. As in graph-node, a search that includes
 * several entity types reads the first.
 */
export function fulltextOf(node: DefinitionNode): readonly ModelFulltext[] {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || node.name.value !== "_Schema_") return [];
  return (node.directives ?? []).filter(({ name }) => name.value === "fulltext").flatMap(searchesOf);
}

function searchesOf({ arguments: given = [] }: ConstDirectiveNode): readonly ModelFulltext[] {
  const value = (name: string) => given.find((one) => one.name.value === name)?.value;
  const name = constantText(value("name"));
  const algorithm = constantText(value("algorithm")) ?? "rank";
  const [item] = itemsOf(value("include"));
  const fields = item?.kind === Kind.OBJECT ? item.fields : [];
  const entity = constantText(fields.find((field) => field.name.value === "entity")?.value);
  return name === undefined || entity === undefined ? [] : [{ name, entity, algorithm }];
}
