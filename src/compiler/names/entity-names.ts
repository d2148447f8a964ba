import { queryNames } from "../../base/text/query-names.js";
import { snakeCase } from "../../base/text/snake-case.js";

const longestTable = 63;

/** Names that no entity type can have, grouped by reason. All were tested. */
const reserved = new Set(
  [
    // graph-node: scalars and root types; it rejects the first nine and confuses the rest.
    "Boolean ID Int BigDecimal String Bytes BigInt Query Subscription",
    "Int8 Timestamp Float Mutation OrderDirection Block_height BlockChangedFilter _Meta_ _Block_",
    "_SubgraphErrorPolicy_ _Log_ _LogArgument_ _LogMeta_ LogLevel Aggregation_interval Aggregation_current _Schema_",
    // Imported or used by the generated schema classes.
    "Value ValueKind TypedMap store Entity Array assert changetype i32 i64 boolean string",
    // Words that end the generated class early.
    "void null true false this delete new class import in export function default enum return for instanceof",
    "const super switch typeof var while with catch debugger if case finally throw try break continue do else",
    "extends implements readonly keyof unique infer interface static await async yield let of package private",
    "protected public type declare namespace module abstract get set as is from constructor",
  ]
    .join(" ")
    .split(" "),
);

/** Why an entity type cannot have a name, or `undefined` if it can. */
export function entityNameProblem(name: string): string | undefined {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return "is not a GraphQL name";
  if (name.startsWith("__")) return 'starts with "__", which GraphQL reserves';
  if (reserved.has(name)) return "is a name that graph-node or the generated code uses";
  if (snakeCase(name) === "") return "has no letter or digit";
  if (snakeCase(name).length > longestTable)
    return `is longer than ${longestTable} characters as a table name`;
  return undefined;
}

/** All names that a type occupies: its table, its query fields, its derived types. */
export function occupiedNames(name: string): readonly string[] {
  const { singular, plural } = queryNames(name);
  return [
    `table ${snakeCase(name)}`,
    `field ${singular}`,
    `field ${plural}`,
    `type ${name}`,
    `type ${name}Loader`,
    `type ${name}_filter`,
    `type ${name}_orderBy`,
  ];
}

/**
 * Allocates entity type names that clash neither in the database nor in the query fields or the generated
 * code.
 */
export class EntityNames {
  readonly #owner = new Map<string, string>();

  /** Returns the wanted name if it is valid and free, else with the suffix `Entity` (`Entity2`, …). */
  claim(wanted: string): { readonly name: string; readonly reason?: string } {
    const reason = entityNameProblem(wanted) ?? this.#takenBy(wanted);
    if (reason === undefined) {
      this.#take(wanted);
      return { name: wanted };
    }
    const base = wanted
      .replace(/[^A-Za-z0-9_]/g, "_")
      .replace(/^_{2,}/, "_")
      .slice(0, 40);
    for (let count = 1; ; count++) {
      const name = `${base}Entity${count === 1 ? "" : count}`;
      if (entityNameProblem(name) === undefined && this.#takenBy(name) === undefined) {
        this.#take(name);
        return { name, reason };
      }
    }
  }

  #take(name: string): void {
    for (const occupied of occupiedNames(name)) this.#owner.set(occupied, name);
  }

  #takenBy(name: string): string | undefined {
    for (const occupied of occupiedNames(name)) {
      const owner = this.#owner.get(occupied);
      if (owner === name) return "is already an entity";
      if (owner !== undefined) return `would share a table or a query with the entity "${owner}"`;
    }
    return undefined;
  }
}
