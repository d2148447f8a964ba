import type { FastifyRequest } from "fastify";
import type { IdentifyBrowser } from "../http/roles.js";
import type { Endpoint } from "../subgraphs/endpoints.js";
import type { QueryDesk } from "./query-desk.js";
import type { QueryPage, QueryPageTab } from "./query-page.js";
import type { SharedRead } from "./shared-read.js";
import type { Payer } from "./work-budget.js";

/** The configuration of routes that require no key. */
export const anyone = { role: "anyone" } as const;

/** The shared parts of the query routes. */
export interface EndpointScope {
  readonly desk: QueryDesk;
  readonly reads: SharedRead<Endpoint | undefined>;
  readonly page: QueryPage;
  /** Identifies the user signed in with a browser; absent when only keys are accepted. */
  readonly ofBrowser?: IdentifyBrowser | undefined;
  /** The pages about a subgraph, by the path of its first one. */
  readonly tabsOf: (path: string) => readonly QueryPageTab[];
  /** Counts a request to a public address. @throws Problem `rate-limited` */
  readonly count: (request: FastifyRequest) => Promise<void>;
  /**
   * Answers a request to a public address when it is its client's turn. The cost of a query is known only when it
   * ends, so only a few queries of one client run at once, over all deployments together.
   * @throws Problem `unavailable` when too many of the client's requests wait, and errors of the work
   */
  readonly inTurn: <Result>(request: FastifyRequest, work: () => Promise<Result>) => Promise<Result>;
  /** The payer of a request to a public address: its network address. */
  readonly payerOf: (request: FastifyRequest) => Payer;
  /** The payer of a request that was admitted by its role: the key, or the user. */
  readonly memberAsPayer: (request: FastifyRequest) => Payer;
}
