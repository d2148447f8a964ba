import { DeterministicError } from "../errors.js";
import type { WasmMemory } from "./webassembly.js";

/** Number of moved bytes after which they are charged as steps. */
const settledSize = 1 << 16;
/** Additional bytes charged for each item of a list. */
const itemSize = 16;

declare global {
  interface String {
    /** Whether there are no lone surrogates. Node has this method, but the ES2023 library does not declare it. */
    isWellFormed(): boolean;
  }
}

/**
 * Reads AssemblyScript objects in an instance's memory. A pointer is the address of an object's content; 0 is null.
 * Malformed objects cause a `DeterministicError`.
 */
export class HeapReader {
  readonly memory: WasmMemory;
  protected memoryBytes: Buffer;
  protected memoryWords: Uint32Array;
  /** Bytes read or written that have not been charged yet. */
  protected moved = 0;

  constructor(memory: WasmMemory) {
    this.memory = memory;
    this.memoryBytes = Buffer.from(memory.buffer);
    this.memoryWords = new Uint32Array(memory.buffer);
  }

  /** Size in bytes. */
  get size(): number {
    this.refresh();
    return this.memoryBytes.length;
  }

  /** Renews the views after the memory has grown, because growing detaches them. */
  protected refresh(): void {
    if (this.memoryBytes.length !== 0) return;
    this.memoryBytes = Buffer.from(this.memory.buffer);
    this.memoryWords = new Uint32Array(this.memory.buffer);
  }

  /** Counts bytes read or written. */
  protected move(bytes: number): void {
    this.moved += bytes;
    if (this.moved > settledSize) this.settle();
  }

  /** Charges the counted bytes. */
  protected settle(): void {
    this.moved = 0;
  }

  /** The 32-bit word at an address. */
  word(at: number): number {
    const value = (at & 3) === 0 ? this.memoryWords[at >>> 2] : undefined;
    return value === undefined ? this.#unusualWord(at >>> 0) : value;
  }

  #unusualWord(at: number): number {
    this.#range(at, 4);
    return this.memoryBytes.readUInt32LE(at);
  }

  /** A member of a non-null object. */
  member(at: number, index: number): number {
    return this.word(notNull(at) + index * 4);
  }

  /** Checks that a range is within the memory. */
  #range(start: number, length: number): void {
    this.move(length);
    this.refresh();
    if (start + length > this.memoryBytes.length) {
      throw new DeterministicError(
        `Heap access out of bounds. Offset: ${start} Size: ${length}, memory has ${this.memoryBytes.length} bytes`,
      );
    }
  }

  /** Reads a string. NUL characters are dropped, because PostgreSQL cannot store them. */
  readString(at: number): string {
    const length = this.word(notNull(at) - 4) & ~1;
    const start = at >>> 0;
    this.#range(start, length);
    const text = this.memoryBytes.toString("utf16le", start, start + length);
    if (!text.isWellFormed())
      throw new DeterministicError("the mapping passed a string that is not valid UTF-16");
    return text.includes("\0") ? text.replaceAll("\0", "") : text;
  }

  /** Reads a nullable string. */
  readOptionalString(at: number): string | undefined {
    return at === 0 ? undefined : this.readString(at);
  }

  /** The bytes of a typed array: a view, valid until the next object is written. */
  readBytes(at: number): Uint8Array {
    const start = this.member(at, 1);
    const length = this.member(at, 2);
    this.#range(start, length);
    return this.memoryBytes.subarray(start, start + length);
  }

  /** The bytes of a typed array as a lower-case hex string with 0x. */
  readHex(at: number): string {
    const start = this.member(at, 1);
    const length = this.member(at, 2);
    this.#range(start, length);
    return `0x${this.memoryBytes.toString("hex", start, start + length)}`;
  }

  /** Reads a BigInt of any size; graph-node's limit is not checked. */
  readBigInt(at: number): bigint {
    const start = this.member(at, 1);
    const length = this.member(at, 2);
    this.#range(start, length);
    if (length === 0) return 0n;
    if (length <= 6) return BigInt(this.memoryBytes.readIntLE(start, length));
    if (length <= 32) return this.#wordsOf(start, length);
    const digits = Buffer.from(this.memoryBytes.subarray(start, start + length))
      .reverse()
      .toString("hex");
    return BigInt.asIntN(length * 8, BigInt(`0x${digits}`));
  }

  /** A signed integer of 7 to 32 bytes, in words of 8. Parsing its digits takes five times as long. */
  #wordsOf(start: number, length: number): bigint {
    const bytes = this.memoryBytes;
    const inTop = length % 8 || 8;
    let at = start + length - inTop;
    let value =
      inTop === 8
        ? bytes.readBigInt64LE(at)
        : inTop === 7
          ? (BigInt(bytes.readInt8(at + 6)) << 48n) | BigInt(bytes.readUIntLE(at, 6))
          : BigInt(bytes.readIntLE(at, inTop));
    while (at > start) {
      at -= 8;
      value = (value << 64n) | bytes.readBigUInt64LE(at);
    }
    return value;
  }

  /** The pointers of an array. */
  readArray(at: number): number[] {
    const start = this.member(at, 1);
    const length = this.member(at, 3);
    this.#range(start, length * 4);
    // The caller will read every item.
    this.move(length * itemSize);
    const items: number[] = [];
    for (let i = 0; i < length; i++) items.push(this.word(start + i * 4));
    return items;
  }
}

/** In the words of graph-node. */
const nullRead =
  "Tried to read AssemblyScript value that is 'null'. Suggestion: look into the function that the error happened and " +
  "add 'log' calls till you find where a 'null' value is being used as non-nullable. It's likely that you're calling " +
  "a 'graph-ts' function (or operator) with a 'null' value when it doesn't support it.";

function notNull(at: number): number {
  if (at === 0) throw new DeterministicError(nullRead);
  return at >>> 0;
}
