import type { FastifyRequest } from "fastify";
import type { Identity } from "../people/access.js";
import type { Platform } from "../platform.js";
import type { RequestRate } from "../rate-limiter.js";

/** How queries over HTTP are bounded. */
export interface QueryEndpointOptions {
  /** How often one client may ask public endpoints; as often as it likes when it is null. */
  readonly publicRate: RequestRate | null;
  /** Queries that one client may have run at the same time at public endpoints, whatever they take; its others wait. */
  readonly runningOfClient: number;
  /**
   * Share of the time that the work for one client's queries may take, 0.25 for a quarter: of an address at public
   * endpoints, of a key or a person at private ones. As much as it likes when it is null.
   */
  readonly workShare: number | null;
  /** Queries of one deployment that run at the same time. */
  readonly running: number;
  /** Queries of one deployment that wait for those; what comes beyond is refused. */
  readonly waiting: number;
  /** Bytes of answers that are kept until their deployments move on; none are with 0. */
  readonly keptBytes: number;
  /** Who is signed in with a browser, for the query pages of private endpoints; they want a key when it is left out. */
  readonly ofBrowser?: (request: FastifyRequest, platform: Platform) => Promise<Identity | undefined>;
}

/** A pool has ten connections, which indexing and the API need, too. */
export const defaultOptions: QueryEndpointOptions = {
  publicRate: { requests: 50, seconds: 10 },
  runningOfClient: 2,
  workShare: 0.25,
  running: 4,
  waiting: 200,
  keptBytes: 64 * 1024 * 1024,
};

/** Of a server with one client, which is its owner's. */
export const oneClient = {
  publicRate: null,
  workShare: null,
} as const satisfies Partial<QueryEndpointOptions>;
