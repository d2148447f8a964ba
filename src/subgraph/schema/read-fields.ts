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
import { type Field, type IdKind, idKinds, SchemaError, type ValueKind } from "./entity-schema.js";
import type { Definitions } from "./read-definitions.js";

type WithFields = ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode;

/** The fields of an entity type. */
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

/** Reads the fields of entity types, which may refer to any other definition of the schema. */
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
    const outer = withoutNonNull(node.type);
    const inner = outer.kind === Kind.LIST_TYPE ? withoutNonNull(outer.type) : outer;
    if (inner.kind === Kind.LIST_TYPE) {
      throw new SchemaError(`${place} is a list of lists, which is not supported`);
    }
    const derivedFrom = this.#derivedFrom(place, node, inner);
    return {
      name: node.name.value,
      text: print(node.type),
      list: outer.kind === Kind.LIST_TYPE,
      nonNull: node.type.kind === Kind.NON_NULL_TYPE,
      ...this.#base(place, inner.name.value),
      ...(derivedFrom === undefined ? {} : { derivedFrom }),
    };
  }

  #base(place: string, name: string): Pick<Field, "kind" | "scalar" | "target" | "allowed"> {
    const kind = scalars.get(name);
    if (kind) return { kind, scalar: name };
    const { enums } = this.#definitions;
    const values = enums.get(name)?.values;
    if (values) {
      return { kind: "String", scalar: name, allowed: new Set(values.map((value) => value.name.value)) };
    }
    const target = this.#target(name);
    if (!target) throw new SchemaError(`${place} has the type ${name}, which is not defined`);
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
    if (field?.kind !== Kind.STRING) throw new SchemaError(`@derivedFrom of ${place} names no field`);
    const target = this.#target(name.value);
    const found = target?.fields?.find((candidate) => candidate.name.value === field.value);
    if (!found || directiveOf(found, "derivedFrom")) {
      throw new SchemaError(
        `${place} is derived from ${name.value}.${field.value}, which is not a stored field`,
      );
    }
    return field.value;
  }

  #id(node: WithFields): { readonly kind: IdKind; readonly scalar: string } {
    const place = node.name.value;
    const field = node.fields?.find(({ name }) => name.value === "id");
    if (!field) throw new SchemaError(`the type ${place} lacks the field id`);
    const type = withoutNonNull(field.type);
    const scalar = type.kind === Kind.NAMED_TYPE ? type.name.value : "";
    const kind = idKinds.find((candidate) => candidate === scalars.get(scalar));
    if (!kind) {
      throw new SchemaError(`${place}.id has the type ${print(type)}; it can be ID, String, Bytes or Int8`);
    }
    return { kind, scalar };
  }
}

function withoutNonNull(type: TypeNode): Exclude<TypeNode, { kind: Kind.NON_NULL_TYPE }> {
  return type.kind === Kind.NON_NULL_TYPE ? type.type : type;
}
