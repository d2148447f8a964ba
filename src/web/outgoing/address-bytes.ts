import { isIP } from "node:net";

/**
 * The bytes of an IP address: 4 or 16. An IPv6 address that stands for one of IPv4 gives the bytes of that one, so that
 * it is judged as what it leads to.
 * @param text without brackets
 * @returns nothing for a text that is no address
 */
export function addressBytes(text: string): readonly number[] | undefined {
  const [address = ""] = text.split("%");
  const version = isIP(address);
  if (version === 4) return address.split(".").map(Number);
  return version === 6 ? meant(sixteen(address)) : undefined;
}

/** Whether an address lies in a network. @param prefix how many bits of the network's address count */
export function isWithin(address: readonly number[], network: readonly number[], prefix: number): boolean {
  if (address.length !== network.length) return false;
  return network.every((byte, index) => {
    const bits = Math.min(8, Math.max(0, prefix - 8 * index));
    const mask = (0xff << (8 - bits)) & 0xff;
    return (byte & mask) === ((address[index] ?? 0) & mask);
  });
}

/** The bytes of an IPv6 address in any of its forms. */
function sixteen(address: string): readonly number[] {
  // The parser of URLs writes it with groups of hexadecimal digits alone.
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const before = groupsOf(head);
  const after = groupsOf(tail ?? "");
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 0xff]);
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Prefixes of IPv6 behind which there is an address of IPv4: in bits, and where its bytes begin. */
const disguises: readonly {
  readonly network: readonly number[];
  readonly prefix: number;
  readonly at: number;
}[] = [
  // ::ffff:0:0/96, mapped; ::ffff:0:0:0/96, translated; 64:ff9b::/96, NAT64; 2002::/16, 6to4.
  { network: networkOf("::ffff:0:0"), prefix: 96, at: 12 },
  { network: networkOf("::ffff:0:0:0"), prefix: 96, at: 12 },
  { network: networkOf("64:ff9b::"), prefix: 96, at: 12 },
  { network: networkOf("2002::"), prefix: 16, at: 2 },
];

function networkOf(address: string): readonly number[] {
  return sixteen(address);
}

function meant(bytes: readonly number[]): readonly number[] {
  const disguise = disguises.find(({ network, prefix }) => isWithin(bytes, network, prefix));
  return disguise ? bytes.slice(disguise.at, disguise.at + 4) : bytes;
}
