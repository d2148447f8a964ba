import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform.js";

/** After a visit over https, browsers use https only for this long: a year. */
const httpsOnly = "max-age=31536000";

/**
 * Adds the headers of all answers, unless a route sets them itself. Browsers must not guess the media type. Nobody may
 * cache answers that require a key. An answer without a valid key says how to send one.
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
