import { SchemaError } from "./entity-schema.js";
import type { Definitions } from "./read-definitions.js";

/** Names of types that the query schema of every subgraph defines itself. */
const taken: ReadonlySet<string> = new Set(
  [
    "Boolean ID Int BigDecimal String Bytes BigInt Int8 Timestamp Float Query Subscription",
    "OrderDirection Block_height BlockChangedFilter _Meta_ _Block_ _SubgraphErrorPolicy_",
    "_Log_ _LogArgument_ _LogMeta_ LogLevel Aggregation_interval Aggregation_current",
  ]
    .join(" ")
    .split(" "),
);

/** Names that have a meaning of their own, which interfaces and enums cannot have. */
const ofObjects: ReadonlySet<string> = new Set(["Mutation", "_Schema_"]);

/**
 * Checks that queries can have a schema of their own beside the names of a subgraph's types, interfaces and enums.
 * @throws SchemaError for a name that the query schema needs
 */
export function checkNames({ entities, aggregations, interfaces, enums }: Definitions): void {
  const queried = [...entities.keys(), ...aggregations.keys(), ...interfaces.keys()];
  const made = new Map(
    queried.flatMap((name) => [`${name}_filter`, `${name}_orderBy`].map((one) => [one, name] as const)),
  );
  for (const name of [...queried, ...enums.keys()]) {
    const of = made.get(name);
    if (of !== undefined) {
      throw new SchemaError(`${name} is the name of a type that queries of ${of} need: rename one of them`);
    }
    const isObject = entities.has(name) || aggregations.has(name);
    const isReserved = taken.has(name) || (!isObject && ofObjects.has(name));
    if (isReserved)
      throw new SchemaError(`${name} is the name of a type that every query schema has: rename it`);
    if (name.startsWith("__")) {
      throw new SchemaError(`${name} starts with "__", which GraphQL keeps for itself: rename it`);
    }
  }
}
