import { schemaError } from "./parse-schema.js";
import type { Definitions } from "./read-definitions.js";

/** Names that no definition in a schema can have. */
const reserved: ReadonlySet<string> = new Set(
  "Boolean ID Int BigDecimal String Bytes BigInt Query Subscription".split(" "),
);

/** Names of types that every subgraph's query schema defines. */
const taken: ReadonlySet<string> = new Set([
  ...reserved,
  ..."Int8 Timestamp Float OrderDirection Block_height BlockChangedFilter".split(" "),
  ..."_Meta_ _Block_ _SubgraphErrorPolicy_ _Log_ _LogArgument_ _LogMeta_ LogLevel".split(" "),
  ..."Aggregation_interval Aggregation_current".split(" "),
]);

/** Names with a special meaning, which interfaces, enums and inputs cannot have. */
const ofObjects: ReadonlySet<string> = new Set(["Mutation", "_Schema_"]);

/**
 * Checks that a subgraph's schema uses no name that the query schema needs.
 * @throws SchemaError
 */
export function checkNames({
  entities,
  aggregations,
  interfaces,
  enums,
  inputs,
  leftOut,
}: Definitions): void {
  const queried = [...entities.values(), ...aggregations.values(), ...interfaces.values()];
  const made = new Map(
    queried.flatMap(({ name: { value } }) =>
      [`${value}_filter`, `${value}_orderBy`].map((one) => [one, value] as const),
    ),
  );
  const seen = [...queried, ...enums.values(), ...inputs];
  for (const node of [...seen, ...leftOut]) {
    const name = node.name.value;
    const of = made.get(name);
    if (of !== undefined) {
      throw schemaError(
        node,
        `${name} is the name of a type that queries for ${of} need: rename one of them`,
      );
    }
    if (reserved.has(name)) {
      throw schemaError(node, `${name} is the name of a type that every query schema has: rename it`);
    }
  }
  for (const node of seen) {
    const name = node.name.value;
    const isObject = entities.has(name) || aggregations.has(name);
    if (taken.has(name) || (!isObject && ofObjects.has(name))) {
      throw schemaError(node, `${name} is the name of a type that every query schema has: rename it`);
    }
    if (name.startsWith("__")) {
      throw schemaError(node, `${name} starts with "__", which GraphQL reserves: rename it`);
    }
  }
  const others = new Set([...queried, ...enums.values()].map(({ name }) => name.value));
  for (const node of inputs) {
    const name = node.name.value;
    if (others.has(name)) {
      throw schemaError(node, `the input ${name} has the name of another type: rename one of them`);
    }
    others.add(name);
  }
}
