import type { FastifyRequest } from "fastify";
import type { Doer } from "../people/doer.js";
import { callerOf } from "./roles.js";

/** The caller of a request to a route that needs a role, and the address that the request comes from. */
export function doerOf(request: FastifyRequest): Doer {
  return { caller: callerOf(request), address: request.ip };
}
