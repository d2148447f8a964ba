import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";

/**
 * Refuses requests for other host names, if the server knows its own. Otherwise an attacker could point a foreign name
 * at this machine (DNS rebinding), so that pages under that name read what only this machine may read.
 */
export function refuseForeignHosts(app: FastifyInstance, { settings }: Platform): void {
  const { isOwnHost } = settings;
  if (!isOwnHost) return;
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    const { host } = headers;
    // Browsers always send the header.
    if (host === undefined || isOwnHost(hostnameOf(host))) return;
    throw new Problem(
      "misdirected",
      `This server does not answer to the host ${JSON.stringify(host.slice(0, 100))}. Use ${settings.address()}, or start the server with --public-address and the address that clients use.`,
    );
  });
}

/** The host without its port, in lower case. */
function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
}
