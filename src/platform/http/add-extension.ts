import type { FastifyInstance } from "fastify";
import { type Extension, statusOf } from "../../api/extension.js";
import { type ApiRoute, addRoute, type RouteAsk } from "./add-route.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Describes a route that the contract of the management API does not contain. */
    extension?: Extension;
  }
}

/** A request that fits the schemas of an extension. */
// biome-ignore lint/suspicious/noExplicitAny: the schemas define query and body
export type ExtensionAsk = RouteAsk<Readonly<Record<string, string>>, any, any>;

/**
 * Adds a route for an operation that the contract of the management API does not contain.
 * @param admission the callers that may use it
 */
export function addExtension(
  app: FastifyInstance,
  extension: Extension,
  admission: Pick<ApiRoute["config"], "role" | "isOfPath">,
  handle: (ask: ExtensionAsk) => Promise<unknown>,
): void {
  const { method, path, query, required = [], body, answer } = extension;
  const schemas = { query: query && { type: "object", properties: query, required }, body, answer };
  const route = { method, path, config: { ...admission, extension }, schemas, status: statusOf(extension) };
  addRoute(app, route, (ask) => handle(ask as ExtensionAsk));
}
