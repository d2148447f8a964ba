import type { FastifyRequest } from "fastify";
import type { Doer } from "../people/doer.js";
import { callerOf } from "./roles.js";

/** The caller of a request to a route that requires a role, and the network address of the request. */
export function doerOf(request: FastifyRequest): Doer {
  return { caller: callerOf(request), address: request.ip };
}
