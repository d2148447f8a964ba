import type { BigDecimal, Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { PoiEvent } from "./events.js";
import { newStableHash, type StableHash } from "./stable-hash.js";

/** Bytes of a digest. */
const stateBytes = 32;
/** Bytes of a page of memory. */
const page = 65_536;

const kinds = { set: 2, remove: 1, error: 3 } as const;
const valueKinds = {
  Null: 0,
  String: 1,
  Int: 2,
  BigDecimal: 3,
  Bool: 4,
  Array: 5,
  Bytes: 6,
  BigInt: 7,
  Int8: 8,
  Timestamp: 9,
} as const satisfies Record<StoreValue["kind"], number>;

/**
 * The hash of proofs since specVersion 0.0.6: an unordered set of writes, each of some bytes at an address. It hashes one
 * set at a time.
 */
export class FastHasher {
  readonly #hash: StableHash;
  readonly #input: number;
  #memory: Buffer;
  #at = 0;

  constructor() {
    this.#hash = newStableHash();
    this.#input = this.#hash.input.value;
    this.#memory = Buffer.from(this.#hash.memory.buffer);
    this.#hash.start();
  }

  /** Begins with an empty set. */
  begin(): void {
    this.#hash.reset();
  }

  /** Adds an event. @param index its number in the block */
  add(event: PoiEvent, block: bigint, index: number): void {
    this.#at = this.#input;
    this.#byte(kinds[event.kind]);
    if (event.kind === "error") this.#number(event.events);
    else {
      this.#text(event.type);
      this.#text(event.id);
      if (event.kind === "set") this.#fields(event.data);
    }
    this.#hash.event(block, BigInt(index));
  }

  /** Adds the number of a block's events. */
  addCount(block: bigint, count: number): void {
    this.#hash.eventsOf(block);
    this.#hash.integer(BigInt(count));
  }

  /** Adds all that a digest contains. @param digest 32 bytes */
  addDigest(digest: Uint8Array): void {
    this.#put(digest);
    this.#hash.mixin(this.#input);
  }

  /** Writes bytes at an address: the numbers of children from the root on. */
  addBytes(path: readonly number[], bytes: Uint8Array): void {
    this.#put(bytes);
    this.#go(path);
    this.#hash.write(this.#input, bytes.length);
  }

  /** Writes an integer that is not negative. */
  addInteger(path: readonly number[], value: bigint): void {
    this.#go(path);
    this.#hash.integer(value);
  }

  /** The set as 32 bytes. */
  digest(): Uint8Array {
    this.#hash.save(this.#input);
    return Uint8Array.from(this.#memory.subarray(this.#input, this.#input + stateBytes));
  }

  /** The hash of the set: 16 bytes, the lowest first. */
  finish(): Uint8Array {
    this.#hash.finish(this.#input);
    return Uint8Array.from(this.#memory.subarray(this.#input, this.#input + 16));
  }

  #go(path: readonly number[]): void {
    this.#hash.root();
    for (const number of path) this.#hash.child(BigInt(number));
  }

  #put(bytes: Uint8Array): void {
    this.#at = this.#input;
    this.#room(bytes.length);
    this.#memory.set(bytes, this.#at);
  }

  #fields(data: Entity): void {
    this.#number(data.size);
    for (const [name, value] of data) {
      this.#text(name);
      this.#value(value);
    }
  }

  #value(value: StoreValue): void {
    this.#byte(valueKinds[value.kind]);
    switch (value.kind) {
      case "Null":
        return;
      case "String":
        this.#text(value.value);
        return;
      case "Bytes":
        this.#hex(value.value.slice(2));
        return;
      case "Bool":
        this.#byte(value.value ? 1 : 0);
        return;
      case "BigDecimal":
        this.#decimal(value.value);
        return;
      case "Array":
        this.#number(value.value.length);
        for (const item of value.value) this.#value(item);
        return;
      default:
        this.#integer(BigInt(value.value));
    }
  }

  #decimal({ digits, exponent }: BigDecimal): void {
    this.#integer(BigInt(-exponent));
    this.#integer(digits);
  }

  /** A sign and a magnitude, the lowest byte first. */
  #integer(value: bigint): void {
    this.#byte(value < 0n ? 1 : 0);
    const magnitude = value < 0n ? -value : value;
    if (magnitude === 0n) {
      this.#number(0);
      return;
    }
    const digits = magnitude.toString(16);
    const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
    const start = this.#at;
    this.#hex(hex);
    this.#memory.subarray(start + 4, this.#at).reverse();
  }

  #hex(digits: string): void {
    const length = digits.length / 2;
    this.#number(length);
    this.#room(length);
    this.#memory.write(digits, this.#at, "hex");
    this.#at += length;
  }

  #text(text: string): void {
    // No character of a text takes more than three bytes for each of its units.
    this.#room(4 + text.length * 3);
    const length = this.#memory.write(text, this.#at + 4);
    this.#memory.writeUInt32LE(length, this.#at);
    this.#at += 4 + length;
  }

  #number(value: number): void {
    this.#room(4);
    this.#memory.writeUInt32LE(value, this.#at);
    this.#at += 4;
  }

  #byte(value: number): void {
    this.#room(1);
    this.#memory[this.#at] = value;
    this.#at += 1;
  }

  #room(bytes: number): void {
    const lacking = this.#at + bytes - this.#memory.length;
    if (lacking <= 0) return;
    this.#hash.memory.grow(Math.ceil(lacking / page));
    this.#memory = Buffer.from(this.#hash.memory.buffer);
  }
}
