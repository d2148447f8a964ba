import { queryNames } from "../../base/text/query-names.js";
import { findDeployment } from "../../store/deployments/deployments.js";
import {
  type EntitySchema,
  type EntityType,
  type Field,
  SchemaError,
} from "../../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import type { Platform } from "../platform.js";
import type { Endpoint } from "../subgraphs/endpoints.js";

const mostTypes = 3;

const mostFields = 8;

/** Fields whose largest value is the newest, in order of preference. */
const times = ["block_number", "blockNumber", "timestamp_", "timestamp", "block_timestamp", "blockTimestamp"];

/**
 * The first query of an endpoint's query page. There is none before the first block, or when the schema of a deployment
 * that another engine indexes cannot be read here.
 * @throws DatabaseError
 */
export async function beginningOf(
  endpoint: Endpoint | undefined,
  { database }: Platform,
): Promise<{ readonly query?: string }> {
  const found = endpoint && (await findDeployment(database, endpoint.deployment));
  if (!found) return {};
  try {
    return { query: firstQuery(readEntitySchema(found.schema)) };
  } catch (error) {
    if (error instanceof SchemaError) return {};
    throw error;
  }
}

/** The first query of the query page: the head block, and the newest few entities of the first types. */
function firstQuery({ types }: EntitySchema): string {
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
