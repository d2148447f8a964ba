import type { FastifyRequest } from "fastify";
import type { World } from "../../base/world.js";
import { Problem } from "../problem.js";
import { clientOf, RateLimiter } from "../rate-limiter.js";

/** Requests of one client to the admin port and to the IPFS port, each: `graph deploy` sends two for each file. */
const rate = { requests: 600, seconds: 10 };

/** Limits the requests to a port. */
export interface DoorLimits {
  /** Counts a request. @throws Problem `rate-limited` */
  readonly count: (request: FastifyRequest) => Promise<void>;
}

export function createDoorLimits({ now }: Pick<World, "now">): DoorLimits {
  const limiter = new RateLimiter(rate, now);
  return { count: async ({ ip }) => limiter.take(clientOf(ip)) };
}

/**
 * Refuses requests that a browser sends for a page of another origin, as an IPFS node does. Such a page could
 * otherwise use a port that needs no key. Tools do not send an origin.
 * @throws Problem `forbidden`
 */
export async function refuseForeignPages({ headers }: FastifyRequest): Promise<void> {
  const site = headers["sec-fetch-site"];
  if (headers.origin === undefined && (site === undefined || site === "none" || site === "same-origin"))
    return;
  throw new Problem("forbidden", "Pages in a browser cannot use this port.");
}
