import { type ConstArgumentNode, type ConstObjectFieldNode, type ConstValueNode, Kind } from "graphql";
import type { EntitySchema, FulltextSearch } from "./entity-schema.js";
import { schemaError } from "./parse-schema.js";
import type { Definitions } from "./read-definitions.js";

/**
 * Reads the searches declared with `@fulltext`.
 * @throws SchemaError for a field that cannot be searched
 */
export function readFulltext(
  { declarations }: Pick<Definitions, "declarations">,
  types: EntitySchema["types"],
): readonly FulltextSearch[] {
  const directives = declarations?.directives?.filter(({ name }) => name.value === "fulltext") ?? [];
  return directives.map((directive) => {
    const { arguments: given = [] } = directive;
    const name = constantText(givenFor(given, "name"));
    if (name === undefined) throw schemaError(directive, "a full text search has no name");
    const language = constantText(givenFor(given, "language"));
    if (language === undefined) throw schemaError(directive, `the full text search ${name} has no language`);
    const algorithm = constantText(givenFor(given, "algorithm"));
    if (algorithm !== "rank" && algorithm !== "proximityRank") {
      throw schemaError(
        directive,
        `the algorithm of the full text search ${name} must be rank or proximityRank`,
      );
    }
    return {
      name,
      language,
      algorithm,
      include: includeOf(name, itemsOf(givenFor(given, "include")), types),
    };
  });
}

function includeOf(
  search: string,
  entries: readonly ConstValueNode[],
  types: EntitySchema["types"],
): ReadonlyMap<string, readonly string[]> {
  const include = new Map<string, readonly string[]>();
  for (const entry of entries) {
    const entity = constantText(memberOf(entry, "entity"));
    const type = entity === undefined ? undefined : types.get(entity);
    if (!type)
      throw schemaError(
        entry,
        `the full text search ${search} includes ${entity}, which is not an entity type`,
      );
    const names = itemsOf(memberOf(entry, "fields")).map((field) => constantText(memberOf(field, "name")));
    const fields = names.map((name) => {
      const field = name === undefined ? undefined : type.fields.get(name);
      if (field?.kind !== "String" || field.list || field.target !== undefined || field.allowed) {
        throw schemaError(
          entry,
          `the full text search ${search} includes ${type.name}.${name}, which is not a string`,
        );
      }
      return field.name;
    });
    include.set(type.name, fields);
  }
  return include;
}

function givenFor(given: readonly ConstArgumentNode[], name: string): ConstValueNode | undefined {
  return given.find((one) => one.name.value === name)?.value;
}

function memberOf(node: ConstValueNode, name: string): ConstValueNode | undefined {
  const fields: readonly ConstObjectFieldNode[] = node.kind === Kind.OBJECT ? node.fields : [];
  return fields.find((field) => field.name.value === name)?.value;
}

function itemsOf(node: ConstValueNode | undefined): readonly ConstValueNode[] {
  return node?.kind === Kind.LIST ? node.values : [];
}

function constantText(node: ConstValueNode | undefined): string | undefined {
  return node?.kind === Kind.STRING || node?.kind === Kind.ENUM ? node.value : undefined;
}
