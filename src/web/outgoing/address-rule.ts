import { BlockList } from "node:net";
import { type MeantAddress, meantAddress } from "./meant-address.js";
import { canonicalName, type Opening, readNetwork, readOpening } from "./opening.js";

/** Which addresses may be reached on behalf of users. */
export interface AddressPolicy {
  /** Whether addresses of this machine and of private networks may be reached. */
  readonly allowsPrivate: boolean;
  /** Private places that may be reached anyway: `10.1.2.3:5432`, `10.0.0.0/8:443`, `db.internal:5432`, `fd12::/16`. */
  readonly listed?: readonly string[];
  /** Called on every refusal. */
  readonly onRefused?: ((destination: Destination, why: string) => void) | undefined;
}

/** Where a connection leads. */
export interface Destination {
  /** An IP address, without brackets. */
  readonly address: string;
  readonly port: number;
  /** The name that was resolved to the address, if there is one. */
  readonly host?: string | undefined;
}

/** Returns why a destination may not be reached, as the end of a sentence; `undefined` if it may be. */
export type AddressRule = (destination: Destination) => string | undefined;

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
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/96",
  "64:ff9b:1::/48",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
  "ff00::/8",
]);

/** One list for each family. In a shared list, IPv6 networks such as `::/0` would also contain IPv4 addresses. */
type Networks = Readonly<Record<MeantAddress["family"], BlockList>>;

/** Whether an IP address does not lead to the internet. @param text without brackets */
export function isPrivateAddress(text: string): boolean {
  const meant = meantAddress(text);
  return meant !== undefined && isIn(privateNetworks, meant);
}

/** The rule of a policy. @throws RangeError for a listed place that cannot be read */
export function createAddressRule({ allowsPrivate, listed = [], onRefused }: AddressPolicy): AddressRule {
  const refusal = refusalBy(allowsPrivate, listed);
  return (destination) => {
    const why = refusal(destination);
    if (why !== undefined) onRefused?.(destination, why);
    return why;
  };
}

function refusalBy(allowsPrivate: boolean, listed: readonly string[]): AddressRule {
  const openings = listed.map(readOpening);
  const covers = openings.map(coverOf);
  return ({ address, port, host }) => {
    const meant = meantAddress(address);
    if (!meant) return `${address} is not an IP address`;
    if (isIn(neverReached, meant))
      return `${address} is an address that graphloom never contacts on behalf of users`;
    if (allowsPrivate || !isIn(privateNetworks, meant)) return undefined;
    const name = host === undefined ? undefined : canonicalName(host);
    const open = openings.filter((_, index) => covers[index]?.(meant, name));
    if (open.some((opening) => opening.port === undefined || opening.port === port)) return undefined;
    return `${address} is a private address${open.length > 0 ? `, and its port ${port} is not allowed` : ""}`;
  };
}

/** Whether an opening covers an address, or the name that resolved to it, on any port. */
function coverOf(opening: Opening): (meant: MeantAddress, name: string | undefined) => boolean {
  if (opening.kind === "name") return (_, name) => name === opening.name;
  const { address, family, prefix } = opening;
  const list = new BlockList();
  list.addSubnet(address, prefix, family);
  return (meant) => meant.family === family && list.check(meant.address, family);
}

function isIn(all: Networks, { address, family }: MeantAddress): boolean {
  return all[family].check(address, family);
}

function networks(texts: readonly string[]): Networks {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const text of texts) {
    const { address, family, prefix } = readNetwork(text);
    lists[family].addSubnet(address, prefix, family);
  }
  return lists;
}
