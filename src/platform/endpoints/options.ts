import type { FastifyRequest } from "fastify";
import type { Identity } from "../people/access.js";
import type { Platform } from "../platform.js";
import type { RequestRate } from "../rate-limiter.js";
import type { QueryPageTab } from "./query-page.js";

/** The limits of queries over HTTP. */
export interface QueryEndpointOptions {
  /** The rate of one client's requests to public endpoints; null for no limit. */
  readonly publicRate: RequestRate | null;
  /** How many queries of one client run at the same time at public endpoints. The client's other queries wait. */
  readonly runningOfClient: number;
  /**
   * Share of the time that the work for one client's queries may take, 0.25 for a quarter: of an address at public
   * endpoints, of a key or a user at private ones. Null for no limit.
   */
  readonly workShare: number | null;
  /**
   * How many queries run at the same time: for all projects, and for one. Queries of one engine do not wait for those
   * of another.
   */
  readonly ofAll: number;
  readonly ofProject: number;
  /** How many queries of one project run or wait. Further queries are refused. */
  readonly heldOfProject: number;
  /** How many queries of one deployment run at the same time. */
  readonly running: number;
  /** How many queries of one deployment may wait. Further queries are refused. */
  readonly waiting: number;
  /** The most bytes of cached answers, which are kept until their deployments change. 0 turns the cache off. */
  readonly keptBytes: number;
  /** Identifies browser users for the query pages of private endpoints. When absent, the pages require a key. */
  readonly ofBrowser?: (request: FastifyRequest, platform: Platform) => Promise<Identity | undefined>;
  /** The pages about a subgraph, by the path of its first one, for the query page. None by default. */
  readonly tabsOf?: (path: string) => readonly QueryPageTab[];
}

/** A pool has ten connections, and indexing and the API also need them. */
export const defaultOptions: QueryEndpointOptions = {
  publicRate: { requests: 50, seconds: 10 },
  runningOfClient: 2,
  workShare: 0.25,
  ofAll: 8,
  ofProject: 5,
  heldOfProject: 500,
  running: 4,
  waiting: 200,
  keptBytes: 64 * 1024 * 1024,
};

/** PGlite has one connection, so a project that fills its line would make all others wait. */
export const pgliteOptions = { ofAll: 5, ofProject: 3 } as const satisfies Partial<QueryEndpointOptions>;

/** The options of a server with a single client, its owner. */
export const oneClient = {
  publicRate: null,
  workShare: null,
} as const satisfies Partial<QueryEndpointOptions>;
