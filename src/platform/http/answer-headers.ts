import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform.js";

/** Seconds that browsers ask over https only, once they have: a year. */
const httpsOnly = "max-age=31536000";

/**
 * What all answers say of themselves, unless a route says otherwise: browsers take them for nothing but what their type
 * says, what is told to who shows a key is kept nowhere, and who shows none that is good learns how to.
 */
export function addAnswerHeaders(app: FastifyInstance, { settings }: Platform): void {
  app.addHook("onSend", async (request, reply) => {
    const add = (name: string, value: string): void => {
      if (!reply.hasHeader(name)) reply.header(name, value);
    };
    const { role = "anyone" } = request.routeOptions.config;
    add("x-content-type-options", "nosniff");
    if (role !== "anyone") add("cache-control", "no-store");
    if (reply.statusCode === 401) add("www-authenticate", 'Bearer realm="graphloom"');
    if (settings.address().startsWith("https:")) add("strict-transport-security", httpsOnly);
  });
}
