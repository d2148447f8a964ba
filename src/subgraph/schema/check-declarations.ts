import { type ConstDirectiveNode, type DocumentNode, Kind } from "graphql";
import { queryNames } from "../../base/text/query-names.js";
import { entitiesIn, objectsIn } from "./nodes.js";
import { schemaError } from "./parse-schema.js";

/**
 * Checks that the type `_Schema_` declares only searches, and that their names are unique.
 * @throws SchemaError
 */
export function checkDeclarations(document: DocumentNode): void {
  const declarations = objectsIn(document).find(({ name }) => name.value === "_Schema_");
  if (!declarations) return;
  const { fields = [], directives = [] } = declarations;
  const [field] = fields;
  if (field)
    throw schemaError(
      field,
      `_Schema_ may have only @fulltext directives, but has the field ${field.name.value}`,
    );
  const other = directives.find(({ name }) => name.value !== "fulltext");
  if (other)
    throw schemaError(other, `_Schema_ may have only @fulltext directives, but has @${other.name.value}`);
  const taken = takenNames(document);
  const searches = new Set<string>();
  for (const directive of directives) {
    const name = declaredName(directive);
    checkSearch(directive, name);
    const of = taken.get(name);
    if (of !== undefined) {
      throw schemaError(
        directive,
        `the full text search ${name} has the name of a query field for ${of}: rename the search`,
      );
    }
    if (searches.has(name)) throw schemaError(directive, `there are two full text searches ${name}`);
    searches.add(name);
  }
}

/** The names of query fields for entity types, including graph-node's singular and plural forms. */
function takenNames(document: DocumentNode): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const { name, fields = [] } of entitiesIn(document)) {
    for (const field of fields) {
      const own = field.name.value;
      const { singular, plural } = queryNames(own);
      for (const one of [own, singular, plural]) taken.set(one, `${name.value}.${own}`);
    }
  }
  return taken;
}

function checkSearch(directive: ConstDirectiveNode, name: string): void {
  const given = (key: string) => directive.arguments?.find((one) => one.name.value === key)?.value;
  for (const key of ["language", "algorithm"]) {
    if (given(key)?.kind === Kind.ENUM) continue;
    throw schemaError(
      directive,
      `the ${key} of the full text search ${name} must be a name without quotation marks`,
    );
  }
  const include = given("include");
  if (include?.kind === Kind.LIST && include.values.length > 0) return;
  throw schemaError(directive, `the full text search ${name} includes no entity type`);
}

function declaredName({ arguments: given = [] }: ConstDirectiveNode): string {
  const value = given.find((one) => one.name.value === "name")?.value;
  return value?.kind === Kind.STRING ? value.value : "";
}
