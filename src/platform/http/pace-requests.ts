import type { FastifyInstance } from "fastify";
import { Allowance } from "../../base/turns/allowance.js";
import type { Platform } from "../platform.js";
import { apiBase } from "./add-route.js";
import { goneOf } from "./limits/gone-of.js";
import { askerOf } from "./route-work.js";

/** Requests to the API of one project, or of one client where no project is known. */
const limits = {
  burst: 300,
  perSecond: 50,
  waitingOfOne: 200,
  refusal: "More than 50 requests a second arrive from here. Wait for their answers, then try again.",
};

/** Delays the API requests of a project that sends too many. Requests that are refused later count as well. */
export function paceRequests(app: FastifyInstance, { world }: Pick<Platform, "world">): void {
  const allowance = new Allowance(limits, world);
  app.addHook("preHandler", async (request) => {
    const { url } = request.routeOptions;
    if (url?.startsWith(apiBase) || url === "/mcp") await allowance.take(askerOf(request), goneOf(request));
  });
}
