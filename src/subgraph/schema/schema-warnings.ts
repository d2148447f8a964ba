import {
  type DefinitionNode,
  type DocumentNode,
  isTypeSystemExtensionNode,
  Kind,
  type TypeNode,
} from "graphql";
import { interfacesIn, objectsIn } from "./nodes.js";
import { inLine } from "./parse-schema.js";
import type { ReadSchema } from "./read-schema.js";

/** What comes to nothing in a schema, or to a failure: each a sentence with its line. */
export function schemaWarnings({ document }: Pick<ReadSchema, "document">): readonly string[] {
  return [
    ...document.definitions.flatMap(ofDefinition),
    ...repeatedTypes(document),
    ...objectsIn(document).flatMap(({ name, fields = [] }) =>
      fields
        .filter(({ type }) => listsIn(type) > 1)
        .map((field) =>
          inLine(
            field,
            `${name.value}.${field.name.value} is a list of lists: a handler fails when it stores one that is not ` +
              "empty, and its block is tried again and again",
          ),
        ),
    ),
    ...idleInterfaces(document),
  ];
}

function ofDefinition(node: DefinitionNode): readonly string[] {
  if (isTypeSystemExtensionNode(node)) {
    const what = node.kind === Kind.SCHEMA_EXTENSION ? "the schema" : node.name.value;
    return [inLine(node, `the extension of ${what} is ignored: what it adds is neither stored nor queried`)];
  }
  switch (node.kind) {
    case Kind.UNION_TYPE_DEFINITION:
      return [inLine(node, `the union ${node.name.value} is left out: queries do not know it`)];
    case Kind.SCALAR_TYPE_DEFINITION:
      return [inLine(node, `the scalar ${node.name.value} is left out: queries do not know it`)];
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return [
        inLine(node, `the input ${node.name.value} does nothing: clients may see it, and no query takes it`),
      ];
    case Kind.DIRECTIVE_DEFINITION:
      return [inLine(node, `the directive @${node.name.value} does nothing: clients may see it`)];
    case Kind.SCHEMA_DEFINITION:
      return [
        inLine(node, "the schema definition is ignored: what queries see follows from the entity types"),
      ];
    default:
      return [];
  }
}

/** Types with the name of one before. */
function repeatedTypes(document: DocumentNode): readonly string[] {
  const seen = new Set<string>();
  return objectsIn(document).flatMap((node) => {
    const name = node.name.value;
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    return [
      inLine(
        node,
        `the type ${name} is there twice: the last one counts here, and a graph-node would never index the subgraph`,
      ),
    ];
  });
}

/** Interfaces that nothing implements. */
function idleInterfaces(document: DocumentNode): readonly string[] {
  const implemented = new Set(
    objectsIn(document).flatMap(({ interfaces = [] }) => interfaces.map(({ name }) => name.value)),
  );
  return [...interfacesIn(document)]
    .filter(([name]) => !implemented.has(name))
    .map(([name, node]) =>
      inLine(
        node,
        `no type implements the interface ${name}: its lists are empty here, and fail on a graph-node`,
      ),
    );
}

function listsIn(type: TypeNode): number {
  let lists = 0;
  for (let node = type; node.kind !== Kind.NAMED_TYPE; node = node.type) {
    if (node.kind === Kind.LIST_TYPE) lists += 1;
  }
  return lists;
}
