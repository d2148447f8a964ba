import {
  type FieldDefinitionNode,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  type TypeNode,
} from "graphql";

/** The schema of a built scenario, read from its text. */
export class ScenarioSchema {
  readonly #types: ReadonlyMap<string, ObjectTypeDefinitionNode>;

  /** @param text of `schema.graphql`, which contains only entity types */
  constructor(text: string) {
    this.#types = new Map(
      parse(text).definitions.map((node) => {
        if (node.kind !== "ObjectTypeDefinition") throw new Error(`a ${node.kind} in the schema`);
        return [node.name.value, node];
      }),
    );
  }

  /** Names of the entity types. */
  get types(): readonly string[] {
    return [...this.#types.keys()];
  }

  /** The type of a field as written, or `undefined` without the field or its entity. */
  typeOf(entity: string, field: string): string | undefined {
    const node = this.#types.get(entity)?.fields?.find(({ name }) => name.value === field);
    return node && print(node.type);
  }

  /** The names of an entity type's fields, in order. @throws Error if the type does not exist */
  fieldsOf(entity: string): readonly string[] {
    return this.#fields(entity).map(({ name }) => name.value);
  }

  /** @throws Error if the type does not exist */
  isImmutable(entity: string): boolean {
    const directive = this.#type(entity).directives?.find(({ name }) => name.value === "entity");
    const value = directive?.arguments?.find(({ name }) => name.value === "immutable")?.value;
    return value?.kind === "BooleanValue" && value.value;
  }

  /** The type and field that a derived field is looked up by. @throws Error for a field that is not derived */
  derivation(entity: string, field: string): { readonly target: string; readonly by: string } {
    const node = this.#fields(entity).find(({ name }) => name.value === field);
    const directive = node?.directives?.find(({ name }) => name.value === "derivedFrom");
    const by = directive?.arguments?.[0]?.value;
    if (!node || by?.kind !== "StringValue") throw new Error(`${entity}.${field} is not derived`);
    return { target: namedType(node.type), by: by.value };
  }

  #type(entity: string): ObjectTypeDefinitionNode {
    const type = this.#types.get(entity);
    if (!type) throw new Error(`the schema has no entity type ${entity}`);
    return type;
  }

  #fields(entity: string): readonly FieldDefinitionNode[] {
    return this.#type(entity).fields ?? [];
  }
}

function namedType(type: TypeNode): string {
  return type.kind === "NamedType" ? type.name.value : namedType(type.type);
}
