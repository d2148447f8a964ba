import { BinaryReader } from "../../runtime/wasm/binary.js";
import type { TestPlace } from "../outcome.js";

/** A part of the code that comes from one line. */
interface Segment {
  /** Its first byte in the module. */
  readonly offset: number;
  readonly source: number;
  /** From 0. */
  readonly line: number;
}

interface ReadMap {
  readonly sources: readonly string[];
  readonly segments: readonly Segment[];
  /** The offsets of all segments. */
  readonly offsets: readonly number[];
  /** The offsets of the functions. */
  readonly starts: readonly number[];
}

interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

/** Maps the code of a module to places in the sources. */
export class SourcePlaces {
  readonly #wasm: Uint8Array;
  readonly #text: string | undefined;
  #map: ReadMap | undefined;

  /** @param text the module's source map; `undefined` when it has none */
  constructor(wasm: Uint8Array, text: string | undefined) {
    this.#wasm = wasm;
    this.#text = text;
  }

  /** The innermost line in a file of the project that a stack passes through. */
  find(stack: string): TestPlace | undefined {
    for (const [, name = "", offset = ""] of stack.matchAll(frames)) {
      const place = isOfLibrary(name) ? undefined : this.#placeOf(Number.parseInt(offset, 16));
      if (place) return place;
    }
    return undefined;
  }

  #placeOf(offset: number): TestPlace | undefined {
    if (this.#text === undefined) return undefined;
    this.#map ??= { ...readMap(this.#text), starts: functionStarts(this.#wasm) };
    const { sources, segments, offsets, starts } = this.#map;
    const start = starts[lastUpTo(starts, offset)] ?? 0;
    // The default value of a parameter has its place in the library that declares it.
    for (let index = lastUpTo(offsets, offset); (offsets[index] ?? -1) >= start; index--) {
      const { source, line } = segments[index] ?? { source: -1, line: 0 };
      const file = sources[source];
      if (file !== undefined && !isOfLibrary(file)) return { file, line: line + 1 };
    }
    return undefined;
  }
}

/** Frames of WebAssembly functions: the function's name, and the call's offset in the module. */
const frames = /at (\S+) \(wasm:\S+wasm-function\[\d+\]:0x([0-9a-f]+)/g;

/** Whether a file or function is part of the standard library or of a package. */
export function isOfLibrary(name: string): boolean {
  return /^(?:start:)?(?:~lib|(?:\.\.\/)*node_modules)\//.test(name);
}

const codeSection = 10;

/** The offsets of the functions' bodies, in order. */
function functionStarts(wasm: Uint8Array): readonly number[] {
  const reader = new BinaryReader(wasm, 8);
  while (reader.at < wasm.length) {
    const [id, length] = [reader.byte(), reader.number()];
    if (id !== codeSection) {
      reader.take(length);
      continue;
    }
    return Array.from({ length: reader.number() }, () => {
      const size = reader.number();
      const start = reader.at;
      reader.take(size);
      return start;
    });
  }
  return [];
}

/** The index of the last of ascending numbers up to a limit; -1 when there is none. */
function lastUpTo(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** In the map of a module, all segments are on one line, and their columns are byte offsets. */
function readMap(text: string): Omit<ReadMap, "starts"> {
  const { sources, mappings } = JSON.parse(text) as SourceMap;
  const segments: Segment[] = [];
  const last = [0, 0, 0, 0];
  for (const part of mappings.split(",")) {
    for (const [index, delta] of numbersIn(part).entries()) {
      if (index < last.length) last[index] = (last[index] ?? 0) + delta;
    }
    const [offset = 0, source = 0, line = 0] = last;
    segments.push({ offset, source, line });
  }
  return { sources, segments, offsets: segments.map(({ offset }) => offset) };
}

/** Numbers in base 64 with five bits each. The lowest bit of a number is its sign. */
function numbersIn(part: string): readonly number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of part) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
