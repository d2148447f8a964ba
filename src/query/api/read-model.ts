import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
} from "graphql";
import { nameIn } from "../../subgraph/schema/nodes.js";
import { argumentsOf, constantText, texts } from "./directive-values.js";
import type { Aggregate, ModelField, ModelType, QueryModel } from "./model.js";
import { readBeside } from "./read-beside.js";
import { fulltextOf } from "./read-fulltext.js";

type Composite = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

/**
 * Reads a checked entity schema.
 * @param text of `schema.graphql`
 */
export function readModel(text: string): QueryModel {
  const document = parse(text, { noLocation: true });
  const nodes = document.definitions.filter(isComposite).filter(({ name }) => name.value !== "_Schema_");
  const enums = new Map<string, EnumTypeDefinitionNode>();
  for (const node of document.definitions) {
    if (node.kind === Kind.ENUM_TYPE_DEFINITION) enums.set(node.name.value, node);
  }
  const composites = new Set(nodes.map(({ name }) => name.value));
  const order = firstMentions(document);
  nodes.sort((a, b) => (order.get(a.name.value) ?? 0) - (order.get(b.name.value) ?? 0));
  const { inputs, directives, isUsable } = readBeside(document, [...composites, ...enums.keys()]);
  return {
    types: new Map(
      nodes.map((node) => [node.name.value, modelType(node, nodes, { composites, enums, isUsable })]),
    ),
    enums,
    inputs,
    directives,
    fulltext: document.definitions.flatMap(fulltextOf),
  };
}

function isComposite(node: DefinitionNode): node is Composite {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.INTERFACE_TYPE_DEFINITION;
}

/** graph-node numbers names on first use, and a field or enum may share the name of a later type. */
function firstMentions({ definitions }: DocumentNode): Map<string, number> {
  const order = new Map<string, number>();
  const mention = (name: string): void => {
    if (!order.has(name)) order.set(name, order.size);
  };
  for (const node of definitions) {
    if (!isComposite(node) && node.kind !== Kind.ENUM_TYPE_DEFINITION) continue;
    mention(node.name.value);
    if (isComposite(node)) for (const { name } of node.fields ?? []) mention(name.value);
  }
  return order;
}

/** The types that fields may refer to. */
interface Known {
  readonly composites: ReadonlySet<string>;
  readonly enums: ReadonlyMap<string, EnumTypeDefinitionNode>;
  isUsable(argument: InputValueDefinitionNode): boolean;
}

function modelType(node: Composite, all: readonly Composite[], known: Known): ModelType {
  const name = node.name.value;
  const isInterface = node.kind === Kind.INTERFACE_TYPE_DEFINITION;
  const aggregation = argumentsOf(node, "aggregation");
  const fields = (node.fields ?? []).map((field) => modelField(field, known));
  return {
    name,
    kind: isInterface ? "interface" : aggregation ? "aggregation" : "entity",
    description: node.description?.value,
    fields: new Map(fields.map((field) => [field.name, field])),
    interfaces: node.interfaces?.map((one) => one.name.value) ?? [],
    concrete: isInterface ? implementersOf(name, all) : [name],
    ...(aggregation && {
      aggregation: {
        source: constantText(aggregation.get("source")) ?? "",
        intervals: texts(aggregation.get("intervals")),
      },
    }),
  };
}

function implementersOf(name: string, all: readonly Composite[]): readonly string[] {
  return all
    .filter((node) => node.kind === Kind.OBJECT_TYPE_DEFINITION)
    .filter((node) => node.interfaces?.some((one) => one.name.value === name))
    .map((node) => node.name.value);
}

function modelField(node: FieldDefinitionNode, { composites, enums, isUsable }: Known): ModelField {
  const base = nameIn(node.type);
  const nullable = node.type.kind === Kind.NON_NULL_TYPE ? node.type.type : node.type;
  const derivedFrom = constantText(argumentsOf(node, "derivedFrom")?.get("field"));
  const aggregate = aggregateOf(node);
  return {
    name: node.name.value,
    description: node.description?.value,
    type: node.type,
    base,
    kind: composites.has(base) ? "reference" : enums.has(base) ? "enum" : "scalar",
    list: nullable.kind === Kind.LIST_TYPE,
    nonNull: node.type.kind === Kind.NON_NULL_TYPE,
    ...(derivedFrom !== undefined && { derivedFrom }),
    ...(aggregate && { aggregate }),
    declaredArguments: node.arguments?.filter(isUsable).map((argument) => print(argument)) ?? [],
  };
}

function aggregateOf(node: FieldDefinitionNode): Aggregate | undefined {
  const given = argumentsOf(node, "aggregate");
  if (!given) return undefined;
  const cumulative = given.get("cumulative");
  return {
    fn: constantText(given.get("fn")) ?? "",
    arg: constantText(given.get("arg")),
    cumulative: cumulative?.kind === Kind.BOOLEAN && cumulative.value,
  };
}
