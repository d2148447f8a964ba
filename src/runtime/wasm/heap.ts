import { signedLength } from "../numbers/big-int.js";
import { HeapReader } from "./heap-reader.js";
import { meterExports } from "./rewrite-module.js";
import { TypeId, typeIdLimit } from "./type-id.js";
import { Global, type MappingExports, type WasmGlobal, type WasmMemory } from "./webassembly.js";

/** Maximum number of cached strings, and the maximum length of a cached string. */
const mostTexts = 1_000;

const longest = 1_024;

/**
 * Decodes hex strings, with a cache. Most strings repeat with every log of a block or a transaction, and copying their
 * bytes is faster than decoding them again.
 */
export class HexBytes {
  readonly #known = new Map<string, Uint8Array>();

  /** @param text hex with 0x */
  of(text: string): Uint8Array {
    const known = this.#known.get(text);
    if (known) return known;
    const bytes = Buffer.from(text.slice(2), "hex");
    if (text.length > longest) return bytes;
    if (this.#known.size === mostTexts) this.#known.clear();
    this.#known.set(text, bytes);
    return bytes;
  }
}

const headerSize = 20;
/** Smallest arena to request from the mapping's allocator, in bytes. */
const arenaSize = 10_000;
/** Aligns the content of the first object, after its header, to 16 bytes. */
const arenaOffset = 12;

/** Steps charged per byte that the host reads or writes: 250 MB use up all steps of a handler. */
const stepsOfByte = 4;

/** The globals of an instance that meter it. */
interface Meter {
  readonly steps: WasmGlobal;
  readonly refused: WasmGlobal;
}

function meterOf(exports: MappingExports): Meter | undefined {
  const { [meterExports.steps]: steps, [meterExports.refused]: refused } = exports;
  return steps instanceof Global && refused instanceof Global ? { steps, refused } : undefined;
}

/** The saved state of a heap, to restore it later. */
export interface HeapState {
  /** The start of the memory; all bytes after it are 0. */
  readonly bytes: Uint8Array;
  readonly cursor: number;
  readonly free: number;
  readonly moved: number;
}

/** AssemblyScript's class ids by `TypeId`: the same for all instances, and -1 while unknown. */
export const unknownTypeIds = (): Int32Array => new Int32Array(typeIdLimit).fill(-1);

/** Reads and writes objects in an instance's memory, through its allocator. It never frees objects. */
export class Heap extends HeapReader {
  readonly #typeIds: Int32Array;
  readonly #hexBytes = new HexBytes();
  #exports: MappingExports | undefined;
  #meter: Meter | undefined;
  #cursor = 0;
  #free = 0;
  /** Room for a BigInt of at most 256 bits. */
  readonly #words = Buffer.alloc(32);

  constructor(memory: WasmMemory, typeIds: Int32Array) {
    super(memory);
    this.#typeIds = typeIds;
  }

  /** Clears the memory for the next instance. */
  clear(): void {
    this.refresh();
    this.memoryBytes.fill(0);
    this.#exports = undefined;
    this.#meter = undefined;
    this.moved = 0;
    this.#cursor = 0;
    this.#free = 0;
  }

  /** Saves the current state. */
  save(): HeapState {
    this.refresh();
    let length = this.memoryBytes.length;
    while (length > 0 && this.memoryBytes[length - 1] === 0) length -= 1;
    const bytes = Uint8Array.from(this.memoryBytes.subarray(0, length));
    return { bytes, cursor: this.#cursor, free: this.#free, moved: this.moved };
  }

  /** Restores a state that the same instance saved. */
  restore({ bytes, cursor, free, moved }: HeapState): void {
    this.refresh();
    this.memoryBytes.set(bytes);
    this.memoryBytes.fill(0, bytes.length);
    this.moved = moved;
    this.#cursor = cursor;
    this.#free = free;
  }

  /** Makes an instance allocate objects from now on. */
  attach(exports: MappingExports): void {
    this.#exports = exports;
    this.#meter = meterOf(exports);
  }

  /** The limit at which the instance trapped, if any. */
  get brokenLimit(): "steps" | "memory" | undefined {
    if (!this.#meter) return undefined;
    if (this.#meter.steps.value < 0) return "steps";
    return this.#meter.refused.value === 0 ? undefined : "memory";
  }

  /**
   * Charges the handler for the bytes that the host has moved. It traps at its next step when no steps are left.
   */
  protected override settle(): void {
    const { moved } = this;
    this.moved = 0;
    if (!this.#meter) return;
    const { steps } = this.#meter;
    steps.value = Math.max(-1, steps.value - moved * stepsOfByte);
  }

  /** Allocates an object. Its content is uninitialized, except for the padding. */
  #object(type: number, size: number): number {
    const total = (headerSize + size + 15) & ~15;
    if (total > this.#free) this.#extend(total);
    const rtId = this.#rtId(type);
    this.refresh();
    const start = this.#cursor;
    this.#cursor += total;
    this.#free -= total;
    this.move(total);
    const words = this.memoryWords;
    const word = start >>> 2;
    words[word] = total - 4;
    words[word + 1] = 0;
    words[word + 2] = 0;
    words[word + 3] = rtId;
    words[word + 4] = size;
    for (let i = (start + headerSize + size) >>> 2; i < (start + total) >>> 2; i++) words[i] = 0;
    return start + headerSize;
  }

  #extend(total: number): void {
    const size = Math.max(total, arenaSize);
    // Unsigned, because WebAssembly returns signed integers.
    this.#cursor = (this.#instance().allocate(size + arenaOffset) >>> 0) + arenaOffset;
    this.#free = size;
  }

  #rtId(type: number): number {
    const known = this.#typeIds[type] ?? -1;
    if (known !== -1) return known;
    const rtId = this.#instance().id_of_type(type);
    this.#typeIds[type] = rtId;
    return rtId;
  }

  #instance(): MappingExports {
    if (!this.#exports) throw new Error("a host function was called before an instance was attached");
    return this.#exports;
  }

  /** Writes an object whose members are pointers. */
  struct(type: number, members: readonly number[]): number {
    const at = this.#object(type, members.length * 4);
    for (let i = 0; i < members.length; i++) this.memoryWords[(at >>> 2) + i] = members[i] ?? 0;
    return at;
  }

  /**
   * Writes an `ethereum.Value`, `Value`, `JSONValue` or `YAMLValue`: a kind and 64 bits, given as two signed or
   * unsigned words.
   */
  tagged(type: number, kind: number, low: number, high = 0): number {
    return this.struct(type, [kind, 0, low, high]);
  }

  wrappedBool(value: boolean): number {
    const at = this.#object(TypeId.WrappedBool, 1);
    this.memoryBytes[at] = value ? 1 : 0;
    return at;
  }

  array(type: number, items: readonly number[]): number {
    const buffer = this.struct(TypeId.ArrayBuffer, items);
    return this.struct(type, [buffer, buffer, items.length * 4, items.length]);
  }

  string(text: string): number {
    const { length } = text;
    const at = this.#object(TypeId.String, length * 2);
    if (length > 20) {
      this.memoryBytes.write(text, at, length * 2, "utf16le");
    } else {
      // For short strings, a call to Node costs more than this loop.
      const bytes = this.memoryBytes;
      for (let i = 0; i < length; i++) {
        const unit = text.charCodeAt(i);
        bytes[at + i * 2] = unit;
        bytes[at + i * 2 + 1] = unit >>> 8;
      }
    }
    return at;
  }

  #typedArray(buffer: number, length: number): number {
    return this.struct(TypeId.Uint8Array, [buffer, buffer, length]);
  }

  bytes(bytes: Uint8Array): number {
    const buffer = this.#object(TypeId.ArrayBuffer, bytes.length);
    this.memoryBytes.set(bytes, buffer);
    return this.#typedArray(buffer, bytes.length);
  }

  /** @param text hex with 0x */
  hex(text: string): number {
    const length = (text.length - 2) >>> 1;
    const buffer = this.#object(TypeId.ArrayBuffer, length);
    if (length > 0) this.memoryBytes.set(this.#hexBytes.of(text), buffer);
    return this.#typedArray(buffer, length);
  }

  bigInt(value: bigint): number {
    if (BigInt.asIntN(32, value) === value) return this.int(Number(value));
    const words = this.#words;
    if (BigInt.asIntN(words.length * 8, value) !== value) return this.#longBigInt(value);
    const length = writeWords(words, value);
    const buffer = this.#object(TypeId.ArrayBuffer, length);
    for (let i = 0; i < length; i++) this.memoryBytes[buffer + i] = words[i] ?? 0;
    return this.#typedArray(buffer, length);
  }

  #longBigInt(value: bigint): number {
    const length = signedLength(value);
    const buffer = this.#object(TypeId.ArrayBuffer, length);
    const digits = BigInt.asUintN(length * 8, value).toString(16);
    this.memoryBytes.write(digits.padStart(length * 2, "0"), buffer, length, "hex");
    this.memoryBytes.subarray(buffer, buffer + length).reverse();
    return this.#typedArray(buffer, length);
  }

  /** Writes a safe integer as a BigInt. */
  int(value: number): number {
    if ((value | 0) !== value) return this.bigInt(BigInt(value));
    const magnitude = value < 0 ? ~value : value;
    const length = magnitude < 0x80 ? 1 : magnitude < 0x8000 ? 2 : magnitude < 0x800000 ? 3 : 4;
    const buffer = this.#object(TypeId.ArrayBuffer, length);
    this.#littleEndian(buffer, length, value);
    return this.#typedArray(buffer, length);
  }

  #littleEndian(at: number, length: number, value: number): void {
    for (let i = 0; i < length; i++) this.memoryBytes[at + i] = value >> (i * 8);
  }
}

/**
 * Writes an integer as two's complement, in words of 8 bytes. Computing its digits takes five times as long.
 * @returns the number of bytes of its shortest form, from the first
 */
function writeWords(words: Buffer, value: bigint): number {
  let length = 0;
  for (let rest = value; ; rest >>= 64n) {
    const low = BigInt.asIntN(64, rest);
    length = words.writeBigInt64LE(low, length);
    if (low === rest) break;
  }
  const sign = value < 0n ? 0xff : 0;
  const isRedundant = (): boolean =>
    length > 1 && words[length - 1] === sign && ((words[length - 2] ?? 0) & 0x80) === (sign & 0x80);
  while (isRedundant()) length -= 1;
  return length;
}
