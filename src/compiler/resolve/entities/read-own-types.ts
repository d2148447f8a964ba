import type {
  ASTNode,
  ConstDirectiveNode,
  DocumentNode,
  FieldDefinitionNode,
  NameNode,
  ObjectTypeDefinitionNode,
  TypeNode,
} from "graphql";
import { quote } from "../../../base/text/quote.js";
import type { Report } from "../../diagnostics/report.js";
import type { EntityField, EntityModel, ScalarType } from "../../model/entity-model.js";
import { entityNameProblem } from "../../names/entity-names.js";
import { fieldNameProblem } from "../../names/field-names.js";
import type { Located, Location, Source } from "../../source/source.js";

/** An entity type from the user's own schema. References to other types are not yet looked up. */
export interface OwnType {
  readonly entity: EntityModel;
  readonly at: Location;
  /** The references to entity types, by name. */
  readonly references: readonly Located<string>[];
}

/** The scalars of the user's own fields; only `id` has the type `ID`. */
const scalars: ReadonlySet<string> = new Set<ScalarType>([
  "BigDecimal",
  "BigInt",
  "Boolean",
  "Bytes",
  "Int",
  "String",
]);

/**
 * Reads the entity types of the user's own schema. Reports and leaves out faulty types.
 * @param document the parsed source
 */
export function readOwnTypes(document: DocumentNode, source: Source, report: Report): readonly OwnType[] {
  const reader = new TypeReader(source, report);
  return document.definitions.flatMap((definition) => {
    if (definition.kind === "ObjectTypeDefinition") return reader.type(definition) ?? [];
    return reader.fault(definition, "only object types with @entity can be declared here") ?? [];
  });
}

class TypeReader {
  readonly #source: Source;
  readonly #report: Report;
  readonly #names = new Set<string>();

  constructor(source: Source, report: Report) {
    this.#source = source;
    this.#report = report;
  }

  fault(node: ASTNode, message: string, hint?: string): undefined {
    this.#report.error("mapping-schema", this.#at(node), message, { ...(hint && { hint }) });
  }

  type(node: ObjectTypeDefinitionNode): OwnType | undefined {
    const { name, description, fields = [], interfaces = [] } = node;
    const problem = entityNameProblem(name.value);
    if (problem) return this.fault(name, `the type ${quote(name.value)} ${problem}`);
    if (this.#names.has(name.value))
      return this.fault(name, `the type ${quote(name.value)} is declared twice`);
    this.#names.add(name.value);
    if (interfaces[0]) return this.fault(interfaces[0], "entity types of a mapping have no interfaces");
    const immutable = this.#immutable(node);
    const read = fields.map((field) => this.#field(field));
    if (immutable === undefined || read.includes(undefined)) return undefined;
    const whole = read.filter((one) => one !== undefined);
    const twice = fields.find(
      (one, index) => fields.findIndex((other) => other.name.value === one.name.value) < index,
    );
    if (twice) return this.fault(twice.name, `the field ${quote(twice.name.value)} is declared twice`);
    if (!whole.some(({ name: field }) => field === "id"))
      return this.fault(name, `the type ${quote(name.value)} has no id`, "add the field id: ID!");
    const entity: EntityModel = {
      name: name.value,
      ...(description && { description: description.value }),
      immutable,
      fields: whole,
    };
    return { entity, at: this.#at(name), references: fields.flatMap((field) => this.#reference(field)) };
  }

  #immutable({ name, directives = [] }: ObjectTypeDefinitionNode): boolean | undefined {
    const [entity, ...others] = directives;
    const [argument, ...more] = entity?.arguments ?? [];
    const value = argument?.value;
    const isRight =
      entity?.name.value === "entity" && argument?.name.value === "immutable" && more.length === 0;
    if (isRight && others.length === 0 && value?.kind === "BooleanValue") return value.value;
    return this.fault(
      others[0] ?? entity ?? name,
      `the type ${quote(name.value)} is not declared as an entity that is immutable, or that is not`,
      "write @entity(immutable: true) or @entity(immutable: false), and nothing else, after its name",
    );
  }

  #field(node: FieldDefinitionNode): EntityField | undefined {
    const { name, description, directives = [], arguments: parameters = [] } = node;
    if (parameters[0]) return this.fault(parameters[0], "fields of entities take no arguments");
    const problem = name.value === "id" ? undefined : fieldNameProblem(name.value);
    if (problem) return this.fault(name, `the field ${quote(name.value)} ${problem}`);
    const type = shapeOf(node.type);
    if (!type) return this.fault(node.type, "a list is written as [Type!] or [Type!]!");
    const { named, list, nonNull } = type;
    const isId = name.value === "id";
    if (isId !== (named.value === "ID") || (isId && (list || !nonNull)))
      return this.fault(node.type, isId ? "an id has the type ID!" : "only the field id has the type ID");
    const derived = directives.map((directive) => derivedFrom(directive));
    if (derived.includes(undefined) || derived.length > 1)
      return this.fault(directives[0] ?? name, 'the only directive of a field is @derivedFrom(field: "…")');
    const isScalar = isId || scalars.has(named.value);
    const [derivedField] = derived;
    if (derivedField !== undefined && (isScalar || !list))
      return this.fault(node.type, "a derived field is a list of entities");
    if (!isScalar && list && derivedField === undefined)
      return this.fault(node.type, "a list of entities has to be derived", 'add @derivedFrom(field: "…")');
    return {
      name: name.value,
      ...(description && { description: description.value }),
      of: isScalar
        ? { kind: "scalar", name: named.value as ScalarType }
        : { kind: "entity", name: named.value },
      list,
      nonNull,
      ...(derivedField !== undefined && { derivedFrom: derivedField }),
    };
  }

  #reference({ type }: FieldDefinitionNode): readonly Located<string>[] {
    const named = shapeOf(type)?.named;
    if (!named || named.value === "ID" || scalars.has(named.value)) return [];
    return [{ value: named.value, at: this.#at(named) }];
  }

  #at({ loc }: ASTNode): Location {
    const { start = 0, end = 0 } = loc ?? {};
    return { source: this.#source, pointer: "", start, end };
  }
}

/** A type; reports nested lists and lists of nullable items. */
function shapeOf(
  node: TypeNode,
): { readonly named: NameNode; readonly list: boolean; readonly nonNull: boolean } | undefined {
  const nonNull = node.kind === "NonNullType";
  const outer = nonNull ? node.type : node;
  if (outer.kind === "NamedType") return { named: outer.name, list: false, nonNull };
  const item = outer.type.kind === "NonNullType" ? outer.type.type : undefined;
  return item?.kind === "NamedType" ? { named: item.name, list: true, nonNull } : undefined;
}

/** The field of `@derivedFrom`. */
function derivedFrom({ name, arguments: written = [] }: ConstDirectiveNode): string | undefined {
  const [argument, ...others] = written;
  if (name.value !== "derivedFrom" || argument?.name.value !== "field" || others.length > 0) return undefined;
  return argument.value.kind === "StringValue" ? argument.value.value : undefined;
}
