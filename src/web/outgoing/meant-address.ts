import { isIP } from "node:net";

/** An address that a connection leads to, as `net.BlockList` takes it. */
export interface MeantAddress {
  readonly address: string;
  readonly family: "ipv4" | "ipv6";
}

/** Groups of IPv6 behind which there are two groups with an address of IPv4. */
const disguises: readonly (readonly number[])[] = [
  // ::ffff:0:0/96, mapped; ::ffff:0:0:0/96, translated; 64:ff9b::/96, NAT64; 2002::/16, 6to4.
  [0, 0, 0, 0, 0, 0xffff],
  [0, 0, 0, 0, 0xffff, 0],
  [0x64, 0xff9b, 0, 0, 0, 0],
  [0x2002],
];

/**
 * Unwraps an IP address: one of IPv6 that stands for one of IPv4 gives that one, so that it is judged as what it leads
 * to.
 * @param text without brackets
 * @returns nothing for a text that is no address
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
  // The parser of URLs writes it with groups of hexadecimal digits alone.
  const [head = "", tail = ""] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const [before = [], after = []] = [head, tail].map((part) =>
    part.split(":").filter((group) => group !== ""),
  );
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
