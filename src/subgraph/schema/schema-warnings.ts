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

/** Warnings about parts of a schema that will fail or have no effect: each a sentence with its line. */
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
            `${name.value}.${field.name.value} is a list of lists: a handler that stores a non-empty one ` +
              "fails the subgraph, which then retries that block forever",
          ),
        ),
    ),
    ...idleInterfaces(document),
  ];
}

function ofDefinition(node: DefinitionNode): readonly string[] {
  if (isTypeSystemExtensionNode(node)) {
    const what = node.kind === Kind.SCHEMA_EXTENSION ? "the schema" : node.name.value;
    return [
      inLine(node, `the extension of ${what} is ignored: its additions are neither stored nor queryable`),
    ];
  }
  switch (node.kind) {
    case Kind.UNION_TYPE_DEFINITION:
      return [inLine(node, `the union ${node.name.value} is ignored: queries cannot use it`)];
    case Kind.SCALAR_TYPE_DEFINITION:
      return [inLine(node, `the scalar ${node.name.value} is ignored: queries cannot use it`)];
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return [
        inLine(node, `the input ${node.name.value} has no effect: clients can see it, but no query takes it`),
      ];
    case Kind.DIRECTIVE_DEFINITION:
      return [inLine(node, `the directive @${node.name.value} has no effect, although clients can see it`)];
    case Kind.SCHEMA_DEFINITION:
      return [
        inLine(node, "the schema definition is ignored: the query schema follows from the entity types"),
      ];
    default:
      return [];
  }
}

/** Types that repeat the name of an earlier one. */
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
        `the type ${name} is defined twice: here the last definition counts, but a graph-node would never index the subgraph`,
      ),
    ];
  });
}

/** Interfaces without an implementing type. */
function idleInterfaces(document: DocumentNode): readonly string[] {
  const implemented = new Set(
    objectsIn(document).flatMap(({ interfaces = [] }) => interfaces.map(({ name }) => name.value)),
  );
  return [...interfacesIn(document)]
    .filter(([name]) => !implemented.has(name))
    .map(([name, node]) =>
      inLine(
        node,
        `no type implements the interface ${name}: its lists are empty here, but fail on a graph-node`,
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
