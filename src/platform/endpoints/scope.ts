import type { FastifyRequest } from "fastify";
import type { IdentifyBrowser } from "../http/roles.js";
import type { Endpoint } from "../subgraphs/endpoints.js";
import type { QueryDesk } from "./query-desk.js";
import type { QueryPage } from "./query-page.js";
import type { SharedRead } from "./shared-read.js";
import type { Payer } from "./work-budget.js";

/** Of routes that want no key. */
export const anyone = { role: "anyone" } as const;

/** What the routes of queries have in common. */
export interface EndpointScope {
  readonly desk: QueryDesk;
  readonly reads: SharedRead<Endpoint | undefined>;
  readonly page: QueryPage;
  /** Who is signed in with a browser; nothing where only keys are taken. */
  readonly ofBrowser?: IdentifyBrowser | undefined;
  /** Counts a request to a public address. @throws Problem `rate-limited` */
  readonly count: (request: FastifyRequest) => Promise<void>;
  /**
   * Answers a request to a public address when it is its client's turn: what a query takes is known when it is over, so
   * that of one client's only a few are worked on at once, of all deployments together.
   * @throws Problem `unavailable` when too many of the client's wait, and what the work throws
   */
  readonly inTurn: <Result>(request: FastifyRequest, work: () => Promise<Result>) => Promise<Result>;
  /** Who pays for a request to a public address: where it comes from. */
  readonly payerOf: (request: FastifyRequest) => Payer;
  /** Who pays for a request that was admitted by its role: the key, or the person. */
  readonly memberAsPayer: (request: FastifyRequest) => Payer;
}
