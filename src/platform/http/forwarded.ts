import { isIP } from "node:net";
import type { FastifyInstance } from "fastify";

/**
 * Reduces the forwarding header of proxies to plain addresses, for everything that uses the client's address: limits,
 * the log, the audit log. Otherwise ports and the like would make each connection look like a new client.
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

/** The addresses in a header, without ports. An entry that is not an address ends the list; what precedes it is ignored. */
export function addressesIn(header: string): readonly string[] {
  const addresses: string[] = [];
  // The nearest proxy added the last entry.
  for (const text of header.split(",").reverse()) {
    const address = addressIn(text.trim());
    if (address === undefined) break;
    addresses.unshift(address);
  }
  return addresses;
}

/** `10.0.0.1`, `10.0.0.1:4711`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:4711`, each optionally in quotes. */
function addressIn(text: string): string | undefined {
  const bare = /^"(.*)"$/.exec(text)?.[1] ?? text;
  const [, inBrackets] = /^\[([^\]]*)\](?::\d+)?$/.exec(bare) ?? [];
  const [, withPort] = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(bare) ?? [];
  const address = inBrackets ?? withPort ?? bare;
  return isIP(address) === 0 ? undefined : address;
}
