import type { FastifyRequest } from "fastify";
import type { Endpoint } from "../catalog/endpoints.js";
import type { IdentifyBrowser } from "../http/roles.js";
import type { Answerer } from "./answerer.js";
import type { HeadStart } from "./head-start.js";
import type { QueryPage } from "./query-page.js";
import type { SharedRead } from "./shared-read.js";

/** Of routes that want no key. */
export const anyone = { role: "anyone" } as const;

/** What the routes of queries have in common. */
export interface EndpointScope {
  readonly answerer: Answerer;
  readonly headStart: HeadStart;
  readonly reads: SharedRead<Endpoint | undefined>;
  readonly page: QueryPage;
  /** Who is signed in with a browser; nothing where only keys are taken. */
  readonly ofBrowser?: IdentifyBrowser | undefined;
  /** Counts a request to a public address. @throws Problem `rate-limited` */
  readonly count: (request: FastifyRequest) => Promise<void>;
  /**
   * Answers a request to a public address when it is its client's turn: requests are counted, and what they take is not,
   * so that of one client's only a few are worked on at once, of all deployments together.
   * @throws Problem `unavailable` when too many of the client's wait, and what the work throws
   */
  readonly inTurn: <Result>(request: FastifyRequest, work: () => Promise<Result>) => Promise<Result>;
}
