import { queryNames } from "../../base/query-names.js";
import type { EntitySchema, EntityType, Field } from "../../subgraph/schema/entity-schema.js";

const mostTypes = 3;
const mostFields = 8;
/** Fields whose largest value is the newest, in order of preference. */
const times = ["block_number", "blockNumber", "timestamp_", "timestamp", "block_timestamp", "blockTimestamp"];

/** The first query of the query page: the head block, and the newest few entities of the first types. */
export function firstQuery({ types }: EntitySchema): string {
  const parts = [...types.values()].slice(0, mostTypes).map(selectionOf);
  return ["{", "  _meta { block { number } hasIndexingErrors }", ...parts, "}", ""].join("\n");
}

function selectionOf({ name, fields, stored }: EntityType): string {
  const time = times.find((each) => fields.get(each)?.list === false);
  const order = time === undefined ? "" : `, orderBy: ${time}, orderDirection: desc`;
  // In the order of the schema. References show their ids; derived fields are left out.
  const shown = [...fields.values()].filter((field) => stored.includes(field)).slice(0, mostFields);
  const lines = shown.map((field) => `    ${fieldText(field)}`);
  return [`  ${queryNames(name).plural}(first: 5${order}) {`, ...lines, "  }"].join("\n");
}

function fieldText({ name, target }: Field): string {
  return target === undefined ? name : `${name} { id }`;
}
