import { apiBase } from "../http/add-route.js";

const version = "/dashboard/:name/:version";
const pipeline = "/pipelines/:name";

/**
 * The operations of the management API that correspond to pages. A `?` at the end passes the query of the page on.
 */
export const counterparts: Readonly<Record<string, string>> = {
  "/": "/subgraphs",
  [version]: "/subgraphs/:name/:version",
  [`${version}/data`]: "/subgraphs/:name/:version",
  [`${version}/query`]: "/subgraphs/:name/:version",
  [`${version}/map`]: "/subgraphs/:name/:version",
  [`${version}/settings`]: "/subgraphs/:name/:version",
  [`${version}/log`]: "/subgraphs/:name/:version/logs",
  [`${version}/webhooks`]: "/subgraphs/webhooks",
  [`${version}/webhooks/:webhook`]: "/extensions/webhooks/:webhook",
  [`${version}/webhooks/:webhook/deliveries/:id`]: "/extensions/webhooks/:webhook/deliveries/:id",
  "/pipelines": "/pipelines",
  [pipeline]: "/pipelines/:name",
  [`${pipeline}/edit`]: "/pipelines/:name/info",
  [`${pipeline}/log`]: "/pipelines/:name/logs",
  [`${pipeline}/parked`]: "/pipelines/:name/parked",
  [`${pipeline}/rows`]: "/pipelines/:name/info",
  [`${pipeline}/snapshots`]: "/pipelines/:name/snapshots",
  [`${pipeline}/tasks/:id`]: "/pipelines/:name/tasks/:id",
  [`${pipeline}/versions/:version`]: "/pipelines/:name/versions",
  "/nodes": "/nodes",
  "/secrets": "/secrets",
  "/secrets/:secret": "/secrets",
  "/endpoints": "/edge",
  "/endpoints/:endpoint": "/edge/:endpoint",
  "/keys": "/projects/:own/api-keys",
  "/members": "/projects/:own/members",
  "/projects": "/projects",
  "/audit": "/projects/:own/audit?",
  "/account": "/me",
};

/** The files of the dashboard with a page's content, where the management API has no operation for it. */
export const files: Readonly<Record<string, string>> = {
  "/data": "/data.json",
  "/docs": "/docs.json",
  "/docs/:name": "/docs/:name.json",
  [`${version}/data/:entity`]: `${version}/data/:entity/rows.json?`,
  [`${version}/data/:entity/entity`]: `${version}/data/:entity/history.json?`,
  [`${version}/entities/:entity`]: `${version}/data/:entity/rows.json?`,
};

/** The files with a page's content as Markdown. */
export const markdownFiles: Readonly<Record<string, string>> = {
  "/docs": "/llms.txt",
  "/docs/:name": "/docs/:name.md",
};

/**
 * Pages that only people can use: forms, and ways to sign in. Programs are sent to the description of the management API.
 */
export const forPeople: ReadonlySet<string> = new Set([
  "/new-pipeline",
  "/new-secret",
  "/sign-in",
  "/sign-in/oidc",
  "/sign-in/oidc/callback",
  "/password",
  "/password/:token",
  "/authorize",
  "/invitations/:token",
]);

/**
 * Where programs find a page's content, as a pattern of a path. Without a matching operation, the description of the
 * whole API.
 * @param page the pattern of its path
 */
export function programAddress(page: string): string {
  return files[page] ?? `${apiBase}${counterparts[page] ?? "/openapi.json"}`;
}
