import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Has addresses that proxies name be addresses and nothing else, for all who ask a request for its own: limits, the log,
 * the audit. What a proxy writes besides them would make a new client of each connection.
 */
export function cleanForwarded(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw: { headers } }) => {
    const given = headers["x-forwarded-for"];
    if (given === undefined) return;
    const clean = addressesIn(String(given));
    if (clean.length > 0) headers["x-forwarded-for"] = clean.join(", ");
    else delete headers["x-forwarded-for"];
  });
}

/** The addresses that a header names, without ports; nothing of what stands before something that is none. */
export function addressesIn(header: string): readonly string[] {
  const addresses: string[] = [];
  // The last one is of the proxy that is nearest.
  for (const text of header.split(",").reverse()) {
    const address = addressIn(text.trim());
    if (address === undefined) break;
    addresses.unshift(address);
  }
  return addresses;
}

/** `10.0.0.1`, `10.0.0.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`, each also within quotes. */
function addressIn(text: string): string | undefined {
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(bare) ?? [];
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare) ?? [];
  const address = inBrackets ?? withPort ?? bare;
  return isIP(address) === 0 ? undefined : address;
}
