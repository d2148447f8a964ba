import type { FastifyInstance } from "fastify";
import { type Extension, statusOf } from "../../api/extension.js";
import { type ApiRoute, addRoute, type RouteAsk } from "./add-route.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the route is for, where the management API that others know does not have it. */
    extension?: Extension;
  }
}

/** A request that fits the schemas of an extension. */
// biome-ignore lint/suspicious/noExplicitAny: what query and body are, the schemas say
export type ExtensionAsk = RouteAsk<Readonly<Record<string, string>>, any, any>;

/**
 * Adds an operation that the management API does not have as a route.
 * @param admission who may use it
 */
export function addExtension(
  app: FastifyInstance,
  extension: Extension,
  admission: Pick<ApiRoute["config"], "role" | "isOfPath">,
  handle: (ask: ExtensionAsk) => Promise<unknown>,
): void {
  const { method, path, query, body, answer } = extension;
  const schemas = { query: query && { type: "object", properties: query }, body, answer };
  const route = { method, path, config: { ...admission, extension }, schemas, status: statusOf(extension) };
  addRoute(app, route, (ask) => handle(ask as ExtensionAsk));
}
