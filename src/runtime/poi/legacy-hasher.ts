import { blake3 } from "@noble/hashes/blake3";
import type { BigDecimal, Entity, StoreValue } from "../../subgraph/schema/entity.js";
import type { PoiEvent } from "./events.js";
import { newStableHash } from "./stable-hash.js";

/** The prime below which the products of this hash are. */
const prime = BigInt(
  "50763434429823703141085322590076158163032399096130816327134180611270739679038131809123861970975131471260684737" +
    "40823406087674219083874521927406102504884523123413614841031144460455419291870229795980912821617078138931284701" +
    "38127498727502746500411830091445835216322945189965318833385537372145861764144559655849331293794747478083924330" +
    "32576309945590584603359054260866543918929486383805924215982747035136255123252119828736134723149397165643360162" +
    "69975237429297415142155593948182291102676913841970757750164311947222628301579362265270660453562313690283158163" +
    "7275314074553942039263472515423713366344495524733341031029964603383",
);

const nothing = new Uint8Array();
/** Bytes of a number. */
const factorBytes = 256;
/** Bytes of a hash. */
const hashBytes = 32;
/** The most bytes that the compiled BLAKE3 hashes. */
const mostCompiled = 1024;
const compiled = newStableHash();
const input = compiled.input.value;
const output = input + mostCompiled;
const memory = Buffer.from(compiled.memory.buffer);

/** The most fields that are remembered, and the longest value of one, in characters. */
const mostMembers = 20_000;
const longestMember = 200;
/** The hashes of fields, since many entities share a value, by name, kind and value. */
const members = new Map<string, Uint8Array>();
/** The products of a field's name and its value's kind, which all entities of a type share. */
const beginnings = new Map<string, bigint>();

const encoder = new TextEncoder();

/** A place in what is hashed. A value that is passed on to another keeps the number of children that were taken. */
class Position {
  readonly prefix: readonly number[];
  #next = 1;

  constructor(prefix: readonly number[] = []) {
    this.prefix = prefix;
  }

  child(): Position {
    const child = new Position([...this.prefix, ...leb128(this.#next)]);
    this.#next += 1;
    return child;
  }

  /** The child with a number, from 0, of a place that has given none yet. */
  at(number: number): Position {
    return new Position([...this.prefix, ...leb128(number + 1)]);
  }
}

/** The hash of proofs before specVersion 0.0.6: a product of numbers, one for each write. */
export class LegacyHasher {
  #product = 1n;

  /** Begins with an empty product. */
  begin(): void {
    this.#product = 1n;
  }

  /** Adds an event. @param index its number in the block */
  add(event: PoiEvent, block: bigint, index: number): void {
    const place = eventsOf(block).at(index);
    if (event.kind === "error") {
      this.#text(place.child(), "DeterministicError");
      this.#integer(place.child(), BigInt(event.events));
      return;
    }
    this.#text(place.child(), event.kind === "set" ? "SetEntity" : "RemoveEntity");
    this.#text(place.child(), event.type);
    this.#text(place.child(), event.id);
    if (event.kind === "set") this.#fields(place.child(), event.data);
  }

  /** Adds the number of a block's events. */
  addCount(block: bigint, count: number): void {
    // A number takes a child for its sign, as a list does for each of its items.
    this.#magnitude(eventsOf(block), BigInt(count));
  }

  /** Adds all that a digest contains, of any length. */
  addDigest(digest: Uint8Array): void {
    this.#multiply(fromBytes(digest));
  }

  /** Writes bytes at a place: the numbers of children from the root on. */
  addBytes(path: readonly number[], bytes: Uint8Array): void {
    this.#write(placeOf(path), bytes);
  }

  /** Writes an integer that is not negative. */
  addInteger(path: readonly number[], value: bigint): void {
    this.#magnitude(placeOf(path), value);
  }

  /** The product, the lowest byte first, without zeros at the end. */
  digest(): Uint8Array {
    return toBytes(this.#product);
  }

  /** The hash of the product: 32 bytes. */
  finish(): Uint8Array {
    const digest = this.digest();
    memory.set(digest, input);
    compiled.blake3(input, digest.length, output, 1);
    return Uint8Array.from(memory.subarray(output + 64 - hashBytes, output + 64)).reverse();
  }

  #fields(place: Position, data: Entity): void {
    // The first child is not used.
    const [, places, count] = [place.child(), place.child(), place.child()];
    for (const [name, value] of data) this.#write(places, memberOf(name, value));
    this.#integer(count, BigInt(data.size));
  }

  /** The product of a field: what its name and its value write. */
  multiplyField(name: string, value: StoreValue): void {
    const root = new Position();
    const [first, second] = [root.child(), root.child()];
    const key = `${value.kind} ${name}`;
    const beginning = beginnings.get(key);
    if (beginning === undefined) {
      this.#text(first, name);
      this.#kind(second, value);
      if (beginnings.size >= mostMembers) beginnings.clear();
      beginnings.set(key, this.#product);
    } else {
      this.#product = beginning;
      if (value.kind !== "Null") second.child();
    }
    this.#content(second, value);
  }

  #value(place: Position, value: StoreValue): void {
    this.#kind(place, value);
    this.#content(place, value);
  }

  #kind(place: Position, { kind }: StoreValue): void {
    if (kind !== "Null") this.#text(place.child(), kind === "Array" ? "List" : kind);
  }

  #content(place: Position, value: StoreValue): void {
    switch (value.kind) {
      case "Null":
        return;
      case "String":
        this.#text(place, value.value);
        return;
      case "Bytes":
        this.#bytes(place, Buffer.from(value.value.slice(2), "hex"));
        return;
      case "Bool":
        if (value.value) this.#write(place, nothing);
        return;
      case "BigDecimal":
        this.#decimal(place, value.value);
        return;
      case "Array":
        for (const item of value.value) this.#value(place.child(), item);
        this.#integer(place, BigInt(value.value.length));
        return;
      default:
        this.#integer(place, BigInt(value.value));
    }
  }

  #decimal(place: Position, { digits, exponent }: BigDecimal): void {
    this.#integer(place.child(), BigInt(-exponent));
    this.#integer(place, digits);
  }

  #integer(place: Position, value: bigint): void {
    const sign = place.child();
    if (value < 0n) this.#write(sign, nothing);
    this.#magnitude(place, value < 0n ? -value : value);
  }

  #magnitude(place: Position, value: bigint): void {
    if (value > 0n) this.#write(place, toBytes(value));
  }

  #text(place: Position, text: string): void {
    this.#bytes(place, encoder.encode(text));
  }

  #bytes(place: Position, bytes: Uint8Array): void {
    if (bytes.length > 0) this.#write(place, bytes);
  }

  #write({ prefix }: Position, bytes: Uint8Array): void {
    const length = prefix.length + 1 + bytes.length;
    if (length > mostCompiled) {
      const whole = Buffer.concat([Uint8Array.from(prefix), Uint8Array.of(0), bytes]);
      this.#multiply(fromBytes(blake3(whole, { dkLen: factorBytes })));
      return;
    }
    memory.set(prefix, input);
    memory[input + prefix.length] = 0;
    memory.set(bytes, input + prefix.length + 1);
    compiled.blake3(input, length, output, factorBytes / 64);
    this.#multiply(BigInt(`0x${memory.toString("hex", output, output + factorBytes)}`));
  }

  #multiply(factor: bigint): void {
    this.#product = (this.#product * factor) % prime;
  }
}

/** The hash of a field. */
function memberOf(name: string, value: StoreValue): Uint8Array {
  const key = keyOf(name, value);
  const known = key === undefined ? undefined : members.get(key);
  if (known) return known;
  const member = new LegacyHasher();
  member.multiplyField(name, value);
  const hash = member.finish();
  if (key !== undefined) {
    if (members.size >= mostMembers) members.clear();
    members.set(key, hash);
  }
  return hash;
}

/** What a field's hash depends on, if it is short. */
function keyOf(name: string, value: StoreValue): string | undefined {
  if (value.kind === "Array" || value.kind === "BigDecimal") return undefined;
  const text = value.kind === "Null" ? "" : String(value.value);
  return text.length > longestMember ? undefined : `${value.kind} ${name} ${text}`;
}

function eventsOf(block: bigint): Position {
  return new Position([2, 1, ...leb128(Number(block) + 1), 1]);
}

function placeOf(path: readonly number[]): Position {
  let place = new Position();
  for (const number of path) place = place.at(number);
  return place;
}

/** A number in groups of seven bits, the lowest first. */
function leb128(value: number): readonly number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}

function fromBytes(bytes: Uint8Array): bigint {
  const hex = Buffer.from(bytes).reverse().toString("hex");
  return hex === "" ? 0n : BigInt(`0x${hex}`);
}

function toBytes(value: bigint): Uint8Array {
  const digits = value.toString(16);
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, "hex").reverse();
}
