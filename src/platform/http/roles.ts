import type { FastifyInstance, FastifyRequest } from "fastify";
import { InternalError } from "../../base/invariant.js";
import { noteUse, type Role } from "../catalog/api-keys.js";
import type { Platform } from "../platform.js";
import { authorize, type Caller } from "./access.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The role that a caller needs at the least; `anyone` is asked for no key. Every route says one. */
    role?: Role | "anyone";
  }
  interface FastifyInstance {
    /** All routes and who may use them, once the server is ready. */
    readonly guardedRoutes: readonly GuardedRoute[];
  }
}

/** A route and who may use it. */
export interface GuardedRoute {
  readonly method: string;
  /** `/api/v1/subgraphs/:name` */
  readonly url: string;
  readonly role: Role | "anyone";
}

/** Milliseconds between two notes that a key was used. */
const usesApart = 60_000;

const callers = new WeakMap<FastifyRequest, Caller>();

/**
 * Asks every request for what its route's `config.role` says, before its body is read. A server with a route that says
 * nothing does not start. Preflights of browsers carry no key, so that routes for OPTIONS are for anyone.
 * @returns the routes, complete once the server is ready
 */
export function guardRoutes(app: FastifyInstance, { database, world }: Platform): readonly GuardedRoute[] {
  const routes: { method: string; url: string; options: { config?: { role?: Role | "anyone" } } }[] = [];
  const guarded: GuardedRoute[] = [];
  app.addHook("onRoute", (options) => {
    for (const method of [options.method].flat()) {
      if (method !== "OPTIONS") routes.push({ method, url: options.url, options });
    }
  });
  app.addHook("onReady", async () => {
    for (const { method, url, options } of routes) {
      const role = options.config?.role;
      if (role === undefined)
        throw new InternalError(`the route ${method} ${url} does not say who may use it`);
      guarded.push({ method, url, role });
    }
  });
  app.addHook("onRequest", async (request) => {
    const { role } = request.routeOptions.config;
    if (role === undefined || role === "anyone") return;
    const key = await authorize(database, request, role);
    callers.set(request, key);
    if (world.now() - (key.lastUsedAt?.getTime() ?? 0) > usesApart) await noteUse(database, key.id);
  });
  return guarded;
}

/** Who asks, as far as it is known: not on a route for anyone. */
export function peekCaller(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** Who asks, on a route that is not for anyone. */
export function callerOf(request: FastifyRequest): Caller {
  const caller = callers.get(request);
  if (!caller) throw new InternalError(`${request.method} ${request.url} is for anyone, and nobody is known`);
  return caller;
}
