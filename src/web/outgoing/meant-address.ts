import { isIP } from "node:net";

/** The address that a connection leads to, in the form that `net.BlockList` takes. */
export interface MeantAddress {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
}

/** IPv6 prefixes, as groups, that precede two groups with an IPv4 address. */
const disguises: readonly (readonly number[])[] = [
  // ::ffff:0:0/96, mapped; ::ffff:0:0:0/96, translated; 64:ff9b::/96, NAT64; 2002::/16, 6to4.
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x2002],
];

/**
 * Unwraps an IP address: an IPv6 address that stands for an IPv4 address becomes that IPv4 address, so that the rules
 * apply to the real destination.
 * @param text without brackets
 * @returns `undefined` if the text is not an address
 */
export function meantAddress(text: string): MeantAddress | undefined {
  const [address = ""] = text.split("%");
  const version = isIP(address);
  if (version === 0) return undefined;
  if (version === 4) return { address, family: "ipv4" };
  const groups = groupsOf(address);
  const disguise = disguises.find((prefix) => prefix.every((group, index) => groups[index] === group));
  if (!disguise) return { address, family: "ipv6" };
  const bytes = groups
    .slice(disguise.length, disguise.length + 2)
    .flatMap((group) => [group >> 8, group & 0xff]);
  return { address: bytes.join("."), family: "ipv4" };
}

/** The eight groups of an IPv6 address in any of its forms. */
function groupsOf(address: string): readonly number[] {
  // The URL parser writes an IPv6 address with hexadecimal groups only.
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const [before = [], after = []] = [head, tail].map((part) =>
    part.split(":").filter((group) => group !== ""),
  );
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
