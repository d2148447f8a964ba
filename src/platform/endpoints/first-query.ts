import { queryNames } from "../../base/query-names.js";
import type { EntitySchema, EntityType, Field } from "../../subgraph/schema/entity-schema.js";

const mostTypes = 3;
const mostFields = 8;
/** Fields whose largest value is the newest, the best first. */
const times = ["block_number", "blockNumber", "timestamp_", "timestamp", "block_timestamp", "blockTimestamp"];

/** What the query page begins with: how far the data goes, and the newest few of the first entities. */
export function firstQuery({ types }: EntitySchema): string {
  const parts = [...types.values()].slice(0, mostTypes).map(selectionOf);
  return ["{", "  _meta { block { number } hasIndexingErrors }", ...parts, "}", ""].join("\n");
}

function selectionOf({ name, fields, stored }: EntityType): string {
  const time = times.find((each) => fields.get(each)?.list === false);
  const order = time === undefined ? "" : `, orderBy: ${time}, orderDirection: desc`;
  // In the order of the schema; a reference by its id, what is derived not at all.
  const shown = [...fields.values()].filter((field) => stored.includes(field)).slice(0, mostFields);
  const lines = shown.map((field) => `    ${fieldText(field)}`);
  return [`  ${queryNames(name).plural}(first: 5${order}) {`, ...lines, "  }"].join("\n");
}

function fieldText({ name, target }: Field): string {
  return target === undefined ? name : `${name} { id }`;
}
