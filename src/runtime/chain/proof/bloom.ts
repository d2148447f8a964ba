import { getBytes, hexlify } from "ethers/utils";
import { keccak256 } from "../../../base/keccak.js";
import type { Log, LogFilter } from "../chain.js";

const bloomBytes = 256;
/** Limit of cached bit positions: more than the addresses and topics of any real subgraph. */
const mostKnown = 100_000;

/** The three bits that an address or a topic sets. */
type Bits = readonly [number, number, number];

/** A block header's bloom filter of the addresses and topics of its logs; false positives are possible. */
export class Bloom {
  readonly #bytes: Uint8Array;

  private constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Parses a header's bloom filter; `undefined` when it is malformed. */
  static parse(hex: string | undefined): Bloom | undefined {
    if (hex?.length !== 2 + 2 * bloomBytes) return undefined;
    return new Bloom(getBytes(hex));
  }

  /** Computes the bloom filter of logs. */
  static of(logs: readonly Log[]): Bloom {
    const bytes = new Uint8Array(bloomBytes);
    for (const item of new Set(logs.flatMap(itemsOf))) {
      for (const bit of bitsOf(item)) bytes[byteOf(bit)] = (bytes[byteOf(bit)] ?? 0) | maskOf(bit);
    }
    return new Bloom(bytes);
  }

  /** Hex string as in a header. */
  get hex(): string {
    return hexlify(this.#bytes);
  }

  /** Whether no bit is set. */
  get isEmpty(): boolean {
    return this.#bytes.every((byte) => byte === 0);
  }

  /** Whether every bit is set. */
  get isFull(): boolean {
    return this.#bytes.every((byte) => byte === 0xff);
  }

  /** Whether the block may contain this log. */
  admitsLog(log: Log): boolean {
    return itemsOf(log).every((item) => this.#has(item));
  }

  /** Whether the block may contain all of these logs. */
  excludesNone(logs: readonly Log[]): boolean {
    return logs.every((log) => this.admitsLog(log));
  }

  /** Whether the block may contain a log that matches a filter. */
  admits(filter: LogFilter): boolean {
    return this.misses(filter, []);
  }

  /**
   * Whether the bloom filter admits an entry of a filter that none of the logs matches. If so, logs may be missing.
   */
  misses(filter: LogFilter, logs: readonly Log[]): boolean {
    const found = new Set(logs.flatMap(({ address, topics: [topic = ""] }) => [topic, `${address}${topic}`]));
    const foundAddresses = new Set(logs.map(({ address }) => address));
    return filter.some(({ addresses, topics }) => {
      if (!topics) {
        if (addresses.length === 0) return logs.length === 0 && !this.isEmpty;
        return addresses.some((address) => !foundAddresses.has(address) && this.#has(address));
      }
      const open = topics.filter((topic) => this.#has(topic));
      if (addresses.length === 0) return open.some((topic) => !found.has(topic));
      if (open.length === 0) return false;
      const admitted = addresses.filter((address) => this.#has(address));
      return admitted.some((address) => open.some((topic) => !found.has(`${address}${topic}`)));
    });
  }

  /**
   * How unlikely it is that a filter with so many bits, set at random, admits all of these logs.
   * @returns the negative logarithm to base 2 of the probability
   */
  surpriseOf(logs: readonly Log[]): number {
    const density = this.#ones / (8 * bloomBytes);
    return density === 0 ? 0 : -Math.log2(density) * Bloom.of(logs).#ones;
  }

  get #ones(): number {
    let ones = 0;
    for (let byte of this.#bytes) for (; byte > 0; byte &= byte - 1) ones += 1;
    return ones;
  }

  /** Whether its bits are a subset of another filter's bits. */
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

/** The byte of a bit; bit 0 is the lowest of the last byte. */
function byteOf(bit: number): number {
  return bloomBytes - 1 - (bit >> 3);
}

function maskOf(bit: number): number {
  return 1 << (bit & 7);
}
