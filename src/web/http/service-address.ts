import { parseAddress } from "./address.js";

/** The address of a service, under which there are several. */
export interface ServiceAddress {
  /** What messages may show: protocol, host and port. */
  readonly origin: string;
  /** The address of a path below it, with a query. */
  at(path: string, query?: Readonly<Record<string, string>>): string;
}

/**
 * Takes an address apart; user, password and query stay in what `at` gives.
 * @param suffix what the path may end with already, to be taken off: `/api/v0`
 * @returns nothing for what is no URL of the web
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

/** What is wrong with an address that is none. */
export const notAnAddress = 'is not a URL that starts with "http://" or "https://"';
