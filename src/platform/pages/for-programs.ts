import { apiBase } from "../http/add-route.js";

/** The operations of the management API that answer what a page shows. */
export const counterparts: Readonly<Record<string, string>> = {
  "/": "/subgraphs",
  "/dashboard/:name/:version": "/subgraphs/:name/:version",
  "/dashboard/:name/:version/log": "/subgraphs/:name/:version/logs",
  "/dashboard/:name/:version/webhooks": "/subgraphs/webhooks",
  "/dashboard/:name/:version/webhooks/:webhook": "/subgraphs/webhooks",
  "/pipelines": "/pipelines",
  "/pipelines/:name": "/pipelines/:name",
  "/nodes": "/nodes",
  "/secrets": "/secrets",
  "/secrets/:secret": "/secrets",
  "/endpoints": "/edge",
  "/endpoints/:endpoint": "/edge/:endpoint",
  "/keys": "/projects/:own/api-keys",
  "/members": "/projects/:own/members",
  "/projects": "/projects",
  "/audit": "/projects/:own/audit?",
};

/**
 * Where programs find what a page shows, as a pattern of a path. Without an operation of its own, the description of the
 * whole API.
 * @param page the pattern of its path
 */
export function programAddress(page: string): string {
  return `${apiBase}${counterparts[page] ?? "/openapi.json"}`;
}
