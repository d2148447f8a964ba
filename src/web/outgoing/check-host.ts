import { lookup as lookUp } from "node:dns/promises";
import { isIP } from "node:net";
import type { AddressRule } from "./address-rule.js";
import type { Resolve } from "./guarded-lookup.js";

/**
 * Says why a host that a user names may not be reached. Only for clients whose connections cannot be checked one by
 * one, since a name may resolve to another address a moment later.
 * @returns the end of a sentence; `undefined` if it may be reached, or cannot be resolved
 */
export async function refusalOfHost(
  { host, port }: { readonly host: string; readonly port: number },
  rule: AddressRule,
  resolve: Resolve = (name) => lookUp(name, { all: true }),
): Promise<string | undefined> {
  const bare = host.replace(/^\[|\]$/g, "");
  if (isIP(bare) !== 0) return rule({ address: bare, port });
  const found = await resolve(bare).catch(() => []);
  return found
    .map(({ address }) => rule({ address, port, host: bare }))
    .find((reason) => reason !== undefined);
}
