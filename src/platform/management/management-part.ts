import { addExplorer } from "../http/add-explorer.js";
import { apiBase } from "../http/add-route.js";
import type { Routes } from "../http/app.js";
import { api, docs, subgraphs } from "../http/frame.js";
import type { ServerPart } from "../server-part.js";
import { errorPages } from "./error-pages.js";
import { healthRoutes } from "./health-routes.js";
import { managementRoutes } from "./management-routes.js";
import { openApiOf } from "./openapi.js";

/** The OpenAPI document, and a page to browse and try the API. */
export const explorer: Routes = async (app, { settings }) => {
  const config = { role: "anyone" } as const;
  app.get(`${apiBase}/openapi.json`, { config }, async () =>
    openApiOf(settings.address(), app.guardedRoutes),
  );
  await addExplorer(app, {
    path: `${apiBase}/docs`,
    title: "graphloom: management API",
    places: [subgraphs, docs, api],
    config,
    // Until the server listens, it has no address and no routes.
    document: () => openApiOf(settings.address(), app.guardedRoutes ?? []),
  });
};

/** The management API with its OpenAPI document, its explorer and its error pages. */
export function managementPart(...options: Parameters<typeof managementRoutes>): ServerPart {
  return () => ({ routes: [healthRoutes, errorPages, explorer, managementRoutes(...options)] });
}
