import { getBytes, hexlify, keccak256 } from "ethers";
import type { Log, LogFilter } from "./chain.js";

const bloomBytes = 256;
/** Positions of more addresses and topics than a subgraph is likely to listen to are not kept. */
const mostKnown = 100_000;

/** The three bits that an address or a topic sets. */
type Bits = readonly [number, number, number];

/** The bloom filter of a block's header: the addresses and topics of its logs, and by chance some more. */
export class Bloom {
  readonly #bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The bloom filter that a header shows in hex; nothing when it is none. */
  static parse(hex: string | undefined): Bloom | undefined {
    if (hex?.length !== 2 + 2 * bloomBytes) return undefined;
    return new Bloom(getBytes(hex));
  }

  /** The bloom filter of some logs. */
  static of(logs: readonly Log[]): Bloom {
    const bytes = new Uint8Array(bloomBytes);
    for (const item of new Set(logs.flatMap(itemsOf))) {
      for (const bit of bitsOf(item)) bytes[byteOf(bit)] = (bytes[byteOf(bit)] ?? 0) | maskOf(bit);
    }
    return new Bloom(bytes);
  }

  /** As a header shows it. */
  get hex(): string {
    return hexlify(this.#bytes);
  }

  /** Whether a log may be among those it was made of. */
  admitsLog(log: Log): boolean {
    return itemsOf(log).every((item) => this.#has(item));
  }

  /** Whether any log that fits a filter may be among those it was made of. */
  admits(filter: LogFilter): boolean {
    return this.misses(filter, []);
  }

  /** Whether it admits an address and a first topic of a filter for which none of the logs is one. */
  misses(filter: LogFilter, logs: readonly Log[]): boolean {
    const found = new Set(logs.flatMap(({ address, topics: [topic = ""] }) => [topic, `${address}${topic}`]));
    return filter.some(({ addresses, topics }) => {
      const open = topics.filter((topic) => this.#has(topic));
      if (addresses.length === 0) return open.some((topic) => !found.has(topic));
      if (open.length === 0) return false;
      const admitted = addresses.filter((address) => this.#has(address));
      return admitted.some((address) => open.some((topic) => !found.has(`${address}${topic}`)));
    });
  }

  /** Whether every bit of it is set in another one, too. */
  isWithin(other: Bloom): boolean {
    return this.#bytes.every((byte, index) => (byte & ~(other.#bytes[index] ?? 0)) === 0);
  }

  #has(item: string): boolean {
    return bitsOf(item).every((bit) => ((this.#bytes[byteOf(bit)] ?? 0) & maskOf(bit)) !== 0);
  }
}

function itemsOf({ address, topics }: Log): readonly string[] {
  return [address, ...topics];
}

const known = new Map<string, Bits>();

function bitsOf(item: string): Bits {
  const kept = known.get(item);
  if (kept) return kept;
  const hash = getBytes(keccak256(item));
  const bit = (at: number): number => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
  const bits: Bits = [bit(0), bit(2), bit(4)];
  if (known.size >= mostKnown) known.clear();
  known.set(item, bits);
  return bits;
}

/** Bit 0 is the last one of the last byte. */
function byteOf(bit: number): number {
  return bloomBytes - 1 - (bit >> 3);
}

function maskOf(bit: number): number {
  return 1 << (bit & 7);
}
