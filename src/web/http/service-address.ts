import { parseAddress } from "./address.js";

/** The base URL of a service with several endpoints. */
export interface ServiceAddress {
  /** The part that messages may show: protocol, host and port. */
  readonly origin: string;
  /** The URL of a path below the base, with a query. */
  at(path: string, query?: Readonly<Record<string, string>>): string;
}

/**
 * Parses a base URL; the URLs that `at` returns keep its user, password and query.
 * @param suffix path suffix to strip when present: `/api/v0`
 * @returns `undefined` if it is not a web URL
 */
export function serviceAddress(text: string, suffix = ""): ServiceAddress | undefined {
  const address = parseAddress(text);
  if (!address) return undefined;
  const base = new URL(text);
  const path = base.pathname.replace(/\/+$/, "");
  base.pathname = path.endsWith(suffix) ? path.slice(0, path.length - suffix.length) : path;
  return {
    origin: address.origin,
    at(below, query = {}) {
      const url = new URL(base);
      url.pathname = `${base.pathname.replace(/\/+$/, "")}${below}`;
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },
  };
}

/** The mistake in an address that is not a web URL; follows the address in a message. */
export const notAnAddress = 'is not a URL that starts with "http://" or "https://"';
