import type { FlowValue, Rows } from "./rows.js";

/**
 * The sum of the hashes of rows, modulo 2^128. It does not depend on their order. The hash of a row depends on the value
 * and the type of every column. Ledgers keep it, so it must not change.
 */
export function sumOfRows({ count, columns }: Rows): bigint {
  const states = new Int32Array(Math.min(count, chunk) * words);
  let sum = 0n;
  for (let start = 0; start < count; start += chunk) {
    const end = Math.min(count, start + chunk);
    states.fill(0);
    for (const column of columns) addColumn(column, start, end, states);
    sum += sumOfStates(states, end - start);
  }
  return BigInt.asUintN(128, sum);
}

/** The hash of each row. Equal rows have equal hashes, and others do not. */
export function hashesOfRows({ count, columns }: Rows): readonly bigint[] {
  const states = new Int32Array(Math.min(count, chunk) * words);
  const hashes: bigint[] = [];
  for (let start = 0; start < count; start += chunk) {
    const end = Math.min(count, start + chunk);
    states.fill(0);
    for (const column of columns) addColumn(column, start, end, states);
    for (let row = 0; row < end - start; row += 1)
      hashes.push(sumOfStates(states.subarray(row * words, (row + 1) * words), 1));
  }
  return hashes;
}

/** Words of a hash, 32 bits each. */
const words = 4;
/** Rows that are hashed at once. Their texts are encoded together, since each call of the encoder costs more than a text. */
const chunk = 4_096;
/** Odd numbers without a pattern: fractions of square roots of primes. */
const [factorA, factorB, factorC, factorD] = [0x6a09e667, 0xbb67ae85, 0x510e527f, 0x1f83d9ab];
const [finalOne, finalTwo] = [0x5be0cd19, 0x9b05688d];

/** What a value begins with, so that values of different types have different hashes. */
const kinds = { null: 1, text: 2, integer: 3, number: 4, boolean: 5, list: 6 } as const;

const plain = new DataView(new ArrayBuffer(8));
const encoder = new TextEncoder();

/** Brings the values of a column into the states of their rows. */
function addColumn(values: readonly FlowValue[], start: number, end: number, states: Int32Array): void {
  const texts = new Texts();
  for (let index = start, at = 0; index < end; index += 1, at += words) {
    const value = values[index] ?? null;
    if (typeof value === "string") texts.add(value, at);
    else if (typeof value === "object" && value !== null) {
      mix(states, at, kinds.list, value.length, 0, 0);
      for (const item of value) texts.add(item, at);
    } else mixPlain(states, at, value);
  }
  texts.mixInto(states);
}

/** One step of a state: it loses nothing, and makes each word depend on another one. */
function mix(states: Int32Array, at: number, a: number, b: number, c: number, d: number): void {
  const first = (turn(Math.imul((states[at] ?? 0) ^ a, factorA), 13) + (states[at + 1] ?? 0)) | 0;
  const second = (turn(Math.imul((states[at + 1] ?? 0) ^ b, factorB), 15) + (states[at + 2] ?? 0)) | 0;
  const third = (turn(Math.imul((states[at + 2] ?? 0) ^ c, factorC), 17) + (states[at + 3] ?? 0)) | 0;
  states[at + 3] = (turn(Math.imul((states[at + 3] ?? 0) ^ d, factorD), 11) + first) | 0;
  states[at] = first;
  states[at + 1] = second;
  states[at + 2] = third;
}

function turn(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

function mixPlain(states: Int32Array, at: number, value: bigint | number | boolean | null): void {
  if (value === null) mix(states, at, kinds.null, 0, 0, 0);
  else if (typeof value === "boolean") mix(states, at, kinds.boolean, Number(value), 0, 0);
  else {
    if (typeof value === "bigint") plain.setBigInt64(0, value, true);
    else plain.setFloat64(0, value, true);
    const kind = typeof value === "bigint" ? kinds.integer : kinds.number;
    mix(states, at, kind, plain.getInt32(0, true), plain.getInt32(4, true), 0);
  }
}

/** Texts with the states that they belong to. Neighbours are often equal, and then digested once. */
class Texts {
  readonly #texts: string[] = [];
  readonly #states: number[] = [];
  /** For each state, which of the texts. */
  readonly #which: number[] = [];
  #last: string | undefined;

  add(text: string, state: number): void {
    if (text !== this.#last) this.#texts.push(text);
    this.#last = text;
    this.#states.push(state);
    this.#which.push(this.#texts.length - 1);
  }

  mixInto(states: Int32Array): void {
    if (this.#texts.length === 0) return;
    const digests = digestsOf(this.#texts);
    for (let index = 0; index < this.#states.length; index += 1) {
      const at = (this.#which[index] ?? 0) * words;
      mix(
        states,
        this.#states[index] ?? 0,
        digests[at] ?? 0,
        digests[at + 1] ?? 0,
        digests[at + 2] ?? 0,
        digests[at + 3] ?? 0,
      );
    }
  }
}

/** A digest of each text in UTF-8, one after the other. */
function digestsOf(texts: readonly string[]): Int32Array {
  const digests = new Int32Array(texts.length * words);
  const all = texts.join("");
  const bytes = encoder.encode(all);
  if (bytes.length === all.length) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let start = 0;
    for (let index = 0; index < texts.length; index += 1) {
      const end = start + (texts[index]?.length ?? 0);
      digestBytes(view, start, end, digests, index * words);
      start = end;
    }
  }
  // Some characters take several bytes, so it is not known where each text ends.
  else
    for (let index = 0; index < texts.length; index += 1) {
      const { buffer, byteOffset, length } = encoder.encode(texts[index]);
      digestBytes(new DataView(buffer, byteOffset, length), 0, length, digests, index * words);
    }
  return digests;
}

function digestBytes(view: DataView, start: number, end: number, digests: Int32Array, to: number): void {
  let a: number = kinds.text;
  let b = end - start;
  let c = 0;
  let d = 0;
  let at = start;
  for (; at + 16 <= end; at += 16) {
    a = (turn(Math.imul(a ^ view.getInt32(at, true), factorA), 13) + b) | 0;
    b = (turn(Math.imul(b ^ view.getInt32(at + 4, true), factorB), 15) + c) | 0;
    c = (turn(Math.imul(c ^ view.getInt32(at + 8, true), factorC), 17) + d) | 0;
    d = (turn(Math.imul(d ^ view.getInt32(at + 12, true), factorD), 11) + a) | 0;
  }
  for (; at < end; at += 4) {
    const word = at + 4 <= end ? view.getInt32(at, true) : lastWord(view, at, end);
    const next = (turn(Math.imul(a ^ word, factorA), 13) + d) | 0;
    a = b;
    b = c;
    c = d;
    d = next;
  }
  digests[to] = a;
  digests[to + 1] = b;
  digests[to + 2] = c;
  digests[to + 3] = d;
}

/** Fewer than four bytes. */
function lastWord(view: DataView, start: number, end: number): number {
  let word = 0;
  for (let at = start; at < end; at += 1) word |= view.getUint8(at) << ((at - start) * 8);
  return word;
}

/** Adds up the states of rows, after every bit of each has come to depend on all others. */
function sumOfStates(states: Int32Array, count: number): bigint {
  // A number holds the sum of a chunk's words of 32 bits exactly.
  let [lowest, low, high, highest] = [0, 0, 0, 0];
  for (let row = 0, at = 0; row < count; row += 1, at += words) {
    let a = states[at] ?? 0;
    let b = states[at + 1] ?? 0;
    let c = states[at + 2] ?? 0;
    let d = states[at + 3] ?? 0;
    a = spread((a + b + c + d) | 0);
    b = spread((b + a) | 0);
    c = spread((c + b) | 0);
    d = spread((d + c) | 0);
    a = spread((a + d) | 0);
    b = (b + a) | 0;
    c = (c + b) | 0;
    lowest += a >>> 0;
    low += b >>> 0;
    high += c >>> 0;
    highest += d >>> 0;
  }
  return BigInt(lowest) + (BigInt(low) << 32n) + (BigInt(high) << 64n) + (BigInt(highest) << 96n);
}

function spread(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), finalOne);
  const twice = Math.imul(once ^ (once >>> 13), finalTwo);
  return twice ^ (twice >>> 16);
}
