/**
 * Decodes numbers in Parquet's hybrid of runs and packed bits, as levels and positions in dictionaries are stored. No run
 * can exceed the number of values that a page announces.
 * @param width bits of each number, at most 32
 * @returns exactly `count` numbers
 * @throws Error if the bytes end early, or hold more
 */
export function readRuns(bytes: Uint8Array, width: number, count: number): Uint32Array {
  const numbers = new Uint32Array(count);
  if (width > 32) throw new Error(`numbers have ${width} bits`);
  // Every number is 0.
  if (width === 0) return numbers;
  let [at, seen] = [0, 0];
  while (seen < count) {
    const header = varInt(bytes, at);
    at = header.end;
    const isPacked = header.value % 2 === 1;
    const length = Math.floor(header.value / 2) * (isPacked ? 8 : 1);
    const size = isPacked ? (length / 8) * width : Math.ceil(width / 8);
    // The last packed run is filled up to a multiple of eight.
    if (length === 0 || length > count - seen + (isPacked ? 7 : 0))
      throw new Error("a run has a wrong length");
    if (at + size > bytes.length) throw new Error("it ends early");
    if (isPacked) unpack(bytes.subarray(at, at + size), width, numbers.subarray(seen, seen + length));
    else numbers.fill(littleEndian(bytes.subarray(at, at + size)), seen, seen + length);
    at += size;
    seen += length;
  }
  return numbers;
}

function varInt(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let [value, factor] = [0, 1];
  for (let at = start; at < bytes.length && at < start + 5; at += 1) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return { value, end: at + 1 };
    factor *= 128;
  }
  throw new Error("it ends early");
}

function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((sum, byte) => sum * 256 + byte, 0);
}

/** Fills `into`, which may hold fewer numbers than the bytes. */
function unpack(bytes: Uint8Array, width: number, into: Uint32Array): void {
  let [buffer, bits, at] = [0, 0, 0];
  const size = 2 ** width;
  for (let index = 0; index < into.length; index += 1) {
    while (bits < width) {
      // At most 39 bits: exact in a double, but not for shifts.
      buffer += (bytes[at] ?? 0) * 2 ** bits;
      at += 1;
      bits += 8;
    }
    into[index] = buffer % size;
    buffer = Math.floor(buffer / size);
    bits -= width;
  }
}
