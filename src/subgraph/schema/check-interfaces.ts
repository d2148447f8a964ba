import {
  type DocumentNode,
  type InterfaceTypeDefinitionNode,
  type ObjectTypeDefinitionNode,
  print,
} from "graphql";
import { interfacesIn, nameIn, objectsIn } from "./nodes.js";
import { schemaError } from "./parse-schema.js";

/**
 * Checks that types have the fields of the interfaces that they implement, with exactly the same types, and that
 * types with a common interface have ids of the same kind.
 * @throws SchemaError
 */
export function checkInterfaces(document: DocumentNode): void {
  const interfaces = interfacesIn(document);
  /** For each interface, the id kind of its types, and the first of those types. */
  const ids = new Map<string, { readonly kind: string; readonly of: string }>();
  for (const node of objectsIn(document)) {
    for (const { name } of node.interfaces ?? []) {
      const wanted = interfaces.get(name.value);
      if (!wanted) continue;
      checkFields(node, wanted);
      const kind = idOf(node);
      if (kind === undefined) continue;
      const other = ids.get(name.value) ?? { kind, of: node.name.value };
      ids.set(name.value, other);
      if (other.kind === kind) continue;
      throw schemaError(
        node,
        `${node.name.value} and ${other.of} implement ${name.value}, but their ids are ${kind} and ${other.kind}: ` +
          "they must have the same type",
      );
    }
  }
}

function checkFields(node: ObjectTypeDefinitionNode, wanted: InterfaceTypeDefinitionNode): void {
  const own = (node.fields ?? []).map((field) => `${field.name.value}: ${print(field.type)}`);
  const missing = (wanted.fields ?? [])
    .map((field) => `${field.name.value}: ${print(field.type)}`)
    .filter((field) => !own.includes(field));
  if (missing.length === 0) return;
  throw schemaError(
    node,
    `the type ${node.name.value} does not satisfy the interface ${wanted.name.value}: it needs ${missing.join(", ")}`,
  );
}

function idOf({ fields }: ObjectTypeDefinitionNode): string | undefined {
  const field = fields?.find(({ name }) => name.value === "id");
  const name = field && nameIn(field.type);
  return name === "ID" ? "String" : name;
}
