/** Reads the binary format of WebAssembly. */
export class BinaryReader {
  readonly #bytes: Uint8Array;
  /** Offset of the next byte. */
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  byte(): number {
    const byte = this.#bytes[this.at++];
    if (byte === undefined) throw new Error("the module ends in the middle of a section");
    return byte;
  }

  /** Reads an unsigned LEB128. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  take(length: number): Uint8Array {
    const start = this.at;
    this.at += length;
    return this.#bytes.subarray(start, this.at);
  }

  rest(): Uint8Array {
    return this.take(this.#bytes.length - this.at);
  }
}

/** Encodes a non-negative number as unsigned LEB128. */
export function encodedNumber(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

/**
 * Encodes a number as signed LEB128, like constants in code. The highest of the last byte's seven bits is the sign.
 */
export function encodedConstant(value: number): Uint8Array {
  const bytes = encodedNumber(value);
  const last = bytes.at(-1) ?? 0;
  return last < 64 ? bytes : Buffer.concat([bytes.subarray(0, -1), Uint8Array.of(last + 128, 0)]);
}

/** Encodes a name: its length and its UTF-8 bytes. */
export function encodedName(name: string): Uint8Array {
  const bytes = new TextEncoder().encode(name);
  return Buffer.concat([encodedNumber(bytes.length), bytes]);
}

/** Appends items to a vector. */
export function extended(list: Uint8Array, items: readonly Uint8Array[]): Uint8Array {
  const reader = new BinaryReader(list);
  const count = reader.number();
  return Buffer.concat([encodedNumber(count + items.length), reader.rest(), ...items]);
}

/** The number of items in a vector. */
export function countIn(list: Uint8Array): number {
  return new BinaryReader(list).number();
}
