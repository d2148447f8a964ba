import { findDeployment } from "../../store/deployments/deployments.js";
import { SchemaError } from "../../subgraph/schema/entity-schema.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import type { Platform } from "../platform.js";
import type { Endpoint } from "../subgraphs/endpoints.js";
import { firstQuery } from "./first-query.js";

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
