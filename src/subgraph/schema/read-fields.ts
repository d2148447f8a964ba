import {
  type FieldDefinitionNode,
  type InterfaceTypeDefinitionNode,
  Kind,
  type NamedTypeNode,
  type ObjectTypeDefinitionNode,
  print,
  type TypeNode,
} from "graphql";
import { argumentOf, directiveOf } from "./directives.js";
import { type Field, type IdKind, idKinds, type ValueKind } from "./entity-schema.js";
import { schemaError } from "./parse-schema.js";
import type { Definitions } from "./read-definitions.js";

type WithFields = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

export interface ReadFields {
  readonly fields: ReadonlyMap<string, Field>;
  readonly idKind: IdKind;
}

const scalars: ReadonlyMap<string, ValueKind> = new Map([
  ["ID", "String"],
  ["String", "String"],
  ["Bytes", "Bytes"],
  ["BigInt", "BigInt"],
  ["BigDecimal", "BigDecimal"],
  ["Int", "Int"],
  ["Int8", "Int8"],
  ["Timestamp", "Timestamp"],
  ["Boolean", "Bool"],
]);

/** Maximum depth of nested lists: no one nests deeper, and more would exhaust the stack. */
const mostLists = 10;

/** Reads the fields of entity types, which may refer to any other definition in the schema. */
export class FieldReader {
  readonly #definitions: Definitions;

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** @throws SchemaError for unknown types, and for invalid ids and derived fields */
  read(node: ObjectTypeDefinitionNode): ReadFields {
    const fields = new Map<string, Field>();
    for (const field of node.fields ?? []) fields.set(field.name.value, this.#field(node, field));
    return { fields, idKind: this.#id(node).kind };
  }

  #field(owner: ObjectTypeDefinitionNode, node: FieldDefinitionNode): Field {
    const place = `${owner.name.value}.${node.name.value}`;
    const { base, lists } = baseOf(node.type);
    if (lists > mostLists) throw schemaError(node, `${place} has more than ${mostLists} nested lists`);
    const derivedFrom = this.#derivedFrom(place, node, base);
    return {
      name: node.name.value,
      text: print(node.type),
      list: lists > 0,
      nonNull: node.type.kind === Kind.NON_NULL_TYPE,
      ...this.#base(place, node, base.name.value),
      ...(derivedFrom === undefined ? {} : { derivedFrom }),
    };
  }

  #base(
    place: string,
    node: FieldDefinitionNode,
    name: string,
  ): Pick<Field, "kind" | "scalar" | "target" | "allowed"> {
    const kind = scalars.get(name);
    if (kind) return { kind, scalar: name };
    const { enums } = this.#definitions;
    const values = enums.get(name)?.values;
    if (values) {
      return { kind: "String", scalar: name, allowed: new Set(values.map((value) => value.name.value)) };
    }
    const target = this.#target(name);
    if (!target) throw schemaError(node, `${place} has the type ${name}, which is not defined`);
    const { kind: idKind, scalar } = this.#id(target);
    return { kind: idKind, scalar, target: name };
  }

  #target(name: string): WithFields | undefined {
    const { entities, interfaces, aggregations } = this.#definitions;
    return entities.get(name) ?? interfaces.get(name) ?? aggregations.get(name);
  }

  #derivedFrom(place: string, node: FieldDefinitionNode, { name }: NamedTypeNode): string | undefined {
    if (!directiveOf(node, "derivedFrom")) return undefined;
    const field = argumentOf(node, "derivedFrom", "field");
    if (field?.kind !== Kind.STRING)
      throw schemaError(node, `@derivedFrom on ${place} does not name a field`);
    const target = this.#target(name.value);
    const found = target?.fields?.find((candidate) => candidate.name.value === field.value);
    if (!found || directiveOf(found, "derivedFrom")) {
      throw schemaError(
        node,
        `${place} is derived from ${name.value}.${field.value}, which is not a stored field`,
      );
    }
    return field.value;
  }

  #id(node: WithFields): { readonly kind: IdKind; readonly scalar: string } {
    const place = node.name.value;
    const field = node.fields?.find(({ name }) => name.value === "id");
    if (!field) throw schemaError(node, `the type ${place} has no field id`);
    const type = withoutNonNull(field.type);
    const scalar = type.kind === Kind.NAMED_TYPE ? type.name.value : "";
    const kind = idKinds.find((candidate) => candidate === scalars.get(scalar));
    if (!kind) {
      throw schemaError(
        field,
        `${place}.id has the type ${print(type)}; it must be ID, String, Bytes or Int8`,
      );
    }
    return { kind, scalar };
  }
}

function baseOf(type: TypeNode): { readonly base: NamedTypeNode; readonly lists: number } {
  let lists = 0;
  for (let node = type; ; node = node.type) {
    if (node.kind === Kind.NAMED_TYPE) return { base: node, lists };
    if (node.kind === Kind.LIST_TYPE) lists += 1;
  }
}

function withoutNonNull(type: TypeNode): Exclude<TypeNode, { kind: Kind.NON_NULL_TYPE }> {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type;
}
