import type { FastifyRequest } from "fastify";
import type { Endpoint } from "../catalog/endpoints.js";
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
  /** Counts a request to a public address. @throws Problem `rate-limited` */
  readonly count: (request: FastifyRequest) => Promise<void>;
}
