import type { FastifyInstance } from "fastify";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";

/**
 * Refuses requests for another host, where it is known what the server is called: a foreign name may have been made to
 * lead here, so that its pages read what only this machine may.
 */
export function refuseForeignHosts(app: FastifyInstance, { settings }: Platform): void {
  const { isOwnHost } = settings;
  if (!isOwnHost) return;
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    const { host } = headers;
    // Browsers always say it.
    if (host === undefined || isOwnHost(hostnameOf(host))) return;
    throw new Problem(
      "misdirected",
      `This server does not answer to the host ${JSON.stringify(host.slice(0, 100))}. Use ${settings.address()}, or start the server with --public-address and the address that clients use.`,
    );
  });
}

/** The host without the port, in small letters. */
function hostnameOf(host: string): string {
  return host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase();
}
