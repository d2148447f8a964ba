import { type DocumentNode, Kind, type ObjectTypeDefinitionNode } from "graphql";
import { argumentOf, directiveOf } from "./directives.js";
import { entitiesIn, interfacesIn, nameIn, objectsIn } from "./nodes.js";
import { schemaError } from "./parse-schema.js";

/**
 * Checks that the source of every derived field refers back: to the type that has the field, to an interface
 * that declares the field, or by an id.
 * @throws SchemaError
 */
export function checkDerived(document: DocumentNode): void {
  const interfaces = interfacesIn(document);
  const targets = new Map<string, Pick<ObjectTypeDefinitionNode, "fields">>([
    ...interfaces,
    ...objectsIn(document).map((node) => [node.name.value, node] as const),
  ]);
  /** The interfaces through which a type gets a field. */
  const givers = (node: ObjectTypeDefinitionNode, field: string): readonly string[] =>
    (node.interfaces ?? [])
      .map(({ name }) => name.value)
      .filter((name) => interfaces.get(name)?.fields?.some((one) => one.name.value === field));
  for (const node of entitiesIn(document)) {
    for (const field of node.fields ?? []) {
      if (!directiveOf(field, "derivedFrom")) continue;
      const given = argumentOf(field, "derivedFrom", "field");
      const name = given?.kind === Kind.STRING ? given.value : "";
      const target = nameIn(field.type);
      const back = targets.get(target)?.fields?.find((one) => one.name.value === name);
      if (!back || name === "id") continue;
      const allowed = [node.name.value, ...givers(node, field.name.value)];
      if (allowed.includes(nameIn(back.type))) continue;
      throw schemaError(
        field,
        `${node.name.value}.${field.name.value} is derived from ${target}.${name}, which does not refer back: ` +
          `its type must be one of ${allowed.flatMap((one) => [one, `${one}!`, `[${one}!]`, `[${one}!]!`]).join(", ")}`,
      );
    }
  }
}
