import type { ServerPart } from "../server-part.js";
import { errorPages } from "./error-pages.js";
import { explorer } from "./explorer.js";
import { healthRoutes } from "./health-routes.js";
import { managementRoutes } from "./management-routes.js";

/** The management API with its OpenAPI document, its explorer and its error pages. */
export function managementPart(...options: Parameters<typeof managementRoutes>): ServerPart {
  return () => ({ routes: [healthRoutes, errorPages, explorer, managementRoutes(...options)] });
}
