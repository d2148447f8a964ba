import { lookup as lookUp } from "node:dns/promises";
import { isIP } from "node:net";
import { isPrivateAddress } from "./address-rule.js";
import type { Resolve } from "./guarded-lookup.js";
import { meantAddress } from "./meant-address.js";

/** How far away a host is: on this machine, in private networks, or across the internet. */
export type HostReach = "machine" | "private" | "public";

/**
 * How far away a host is. A name with several addresses is as far as the farthest, and a name that cannot be resolved
 * is public.
 */
export async function hostReach(
  host: string,
  resolve: Resolve = (name) => lookUp(name, { all: true }),
): Promise<HostReach> {
  const bare = host.replace(/^\[|\]$/g, "");
  const found = isIP(bare) === 0 ? await resolve(bare).catch(() => []) : [{ address: bare }];
  const reaches = found.map(({ address }) => reachOf(address));
  if (reaches.length === 0 || reaches.includes("public")) return "public";
  return reaches.includes("private") ? "private" : "machine";
}

function reachOf(address: string): HostReach {
  const meant = meantAddress(address)?.address ?? address;
  if (/^127\.|^::1$/.test(meant)) return "machine";
  return isPrivateAddress(address) ? "private" : "public";
}
