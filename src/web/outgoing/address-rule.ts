import { BlockList } from "node:net";
import { type MeantAddress, meantAddress } from "./meant-address.js";

/** Which IP addresses may be reached on behalf of users. */
export interface AddressPolicy {
  /** Whether addresses of this machine and of private networks may be reached. */
  readonly allowsPrivate: boolean;
  /** Private addresses and networks that may be reached anyway: `10.1.2.3`, `10.0.0.0/8`, `fd12::/16`. */
  readonly listed?: readonly string[];
}

/** Returns why an address may not be reached, or nothing when it may. */
export type AddressRule = (address: string) => string | undefined;

/** The metadata services of clouds, which hand out keys to their own machines. No receiver listens there. */
const neverReached = networks([
  "169.254.0.0/16",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "192.0.0.192/32",
  "fd00:ec2::/32",
  "fd20:ce::254/128",
  "fe80::a9fe:a9fe/128",
]);

/** Addresses that do not lead to the internet: loopback, private networks and special-purpose ranges. */
const privateNetworks = networks([
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.0.0.0/24"],
  ...["192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24"],
  ...["203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"],
  ...["::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16"],
  ...["fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"],
]);

/** One list for each family. In a shared list, IPv6 networks such as `::/0` would also contain IPv4 addresses. */
type Networks = Readonly<Record<MeantAddress["family"], BlockList>>;

/** The rule of a policy. @throws RangeError when a listed entry is neither an address nor a network */
export function createAddressRule({ allowsPrivate, listed = [] }: AddressPolicy): AddressRule {
  const allowed = networks(listed);
  return (text) => {
    const meant = meantAddress(text);
    if (!meant) return `${text} is not an IP address`;
    const isIn = (all: Networks): boolean => all[meant.family].check(meant.address, meant.family);
    if (isIn(neverReached)) return `${text} is an address that graphloom never contacts on behalf of users`;
    if (allowsPrivate || isIn(allowed) || !isIn(privateNetworks)) return undefined;
    return `${text} is a private address`;
  };
}

function networks(texts: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of texts) {
    const [name = "", length, ...rest] = text.split("/");
    const meant = meantAddress(name);
    const bits = meant?.family === "ipv6" ? 128 : 32;
    const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
    if (!meant || rest.length > 0 || !(prefix <= bits)) {
      throw new RangeError(`${text} is neither an IP address nor a network (for example 10.0.0.0/8)`);
    }
    lists[meant.family].addSubnet(meant.address, prefix, meant.family);
  }
  return lists;
}
