import { isIP } from "node:net";
import { domainToASCII } from "node:url";
import { type MeantAddress, meantAddress } from "./meant-address.js";

/** IP addresses that begin with the same bits. */
export interface Network extends MeantAddress {
  /** The number of these bits. */
  readonly prefix: number;
}

/** A private place that an operator opens to users. Without a port, all of its ports are open. */
export type Opening =
  | (Network & { readonly kind: "network"; readonly port: number | undefined })
  | { readonly kind: "name"; readonly name: string; readonly port: number };

/**
 * Reads an opening: an address or a network, with or without a port, or a name with one. `10.1.2.3:5432`,
 * `10.0.0.0/8:443`, `[::1]:5432`, `[fd12::/16]:443`, `db.internal:5432`, `10.1.2.3`, `fd12::/16`.
 * @throws RangeError with the mistake
 */
export function readOpening(text: string): Opening {
  const { place, port: digits } = split(text);
  const port = digits === undefined ? undefined : portIn(text, digits);
  const network = networkIn(place);
  if (network) return { kind: "network", ...network, port };
  const name = /[/:[\]]/.test(place) ? undefined : canonicalName(place);
  if (name === undefined || isIP(name) !== 0 || !/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/.test(name))
    throw new RangeError(
      `${text} is neither an IP address nor a network, nor a name with a port (for example 10.1.2.3:5432, 10.0.0.0/8:443, [::1]:5432 or db.internal:5432)`,
    );
  if (port === undefined)
    throw new RangeError(`${text} is a name, which needs a port (for example ${text}:443)`);
  return { kind: "name", name, port };
}

/** Reads an address or a network: `10.1.2.3`, `10.0.0.0/8`, `fd12::/16`. @throws RangeError for anything else */
export function readNetwork(text: string): Network {
  const network = networkIn(text);
  if (network) return network;
  throw new RangeError(`${text} is neither an IP address nor a network (for example 10.0.0.0/8)`);
}

/** The openings that open every port. @throws RangeError for an invalid opening */
export function withoutPort(listed: readonly string[]): readonly string[] {
  return listed.filter((text) => readOpening(text).port === undefined);
}

/** An opening without a port, written with a port as an example. */
export function withExamplePort(text: string): string {
  const { place } = split(text);
  return `${place.includes(":") ? `[${place}]` : place}:5432`;
}

/** The common form of all spellings of a name: in lower case, without the dot of the root, and in ASCII. */
export function canonicalName(name: string): string {
  const bare = name.replace(/\.$/, "");
  return domainToASCII(bare) || bare.toLowerCase();
}

/** An IPv6 address needs brackets before a port, and a network needs none, since its length ends it. */
function split(text: string): { readonly place: string; readonly port: string | undefined } {
  const [whole, address, length = "", inBrackets] =
    /^\[([^[\]]*:[^[\]]*)\](\/[^:]*)?(?::(.*))?$/.exec(text) ?? [];
  if (whole !== undefined) return { place: `${address}${length}`, port: inBrackets };
  const [, place, port] = /^([^:]*|[^/]*\/[^:]*):([^:]*)$/.exec(text) ?? [];
  return place === undefined ? { place: text, port: undefined } : { place, port };
}

function portIn(text: string, digits: string): number {
  const port = /^[1-9]\d{0,4}$/.test(digits) ? Number(digits) : Number.NaN;
  if (port <= 65_535) return port;
  throw new RangeError(`${text} has no port from 1 to 65535 after its last colon`);
}

function networkIn(text: string): Network | undefined {
  const [name = "", length, ...rest] = text.split("/");
  const meant = meantAddress(name);
  const bits = meant?.family === "ipv6" ? 128 : 32;
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  return meant && rest.length === 0 && prefix <= bits ? { ...meant, prefix } : undefined;
}
