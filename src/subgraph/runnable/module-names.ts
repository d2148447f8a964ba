const importSection = 2;
const exportSection = 7;
/** Bytes before the first section: the magic number and the version. */
const header = 8;

/**
 * The field names of a WASM module's imports, in module order. If the bytes are not a module, returns those it finds
 * and leaves the error to the WASM compiler.
 */
export function importNames(wasm: Uint8Array): readonly string[] {
  return namesIn(wasm, importSection, (reader) => {
    reader.text();
    const name = reader.text();
    skipDescription(reader);
    return name;
  });
}

/** The names of a WASM module's exports, in module order. If the bytes are not a module, returns those it finds. */
export function exportNames(wasm: Uint8Array): readonly string[] {
  return namesIn(wasm, exportSection, (reader) => {
    const name = reader.text();
    reader.byte();
    reader.number();
    return name;
  });
}

function namesIn(wasm: Uint8Array, section: number, read: (reader: Reader) => string): readonly string[] {
  const names: string[] = [];
  const reader = new Reader(wasm, header);
  while (!reader.isAtEnd) {
    const id = reader.byte();
    const end = reader.number() + reader.at;
    if (id !== section) {
      reader.at = end;
      continue;
    }
    for (let left = reader.number(); left > 0 && !reader.isAtEnd; left--) names.push(read(reader));
    break;
  }
  return names;
}

/**
 * A function has the index of its type; a table, a type before its limits; a global, a type and its
 * mutability.
 */
function skipDescription(reader: Reader): void {
  const kind = reader.byte();
  if (kind === 0) reader.number();
  else if (kind === 3) reader.at += 2;
  else {
    if (kind === 1) reader.byte();
    const hasMaximum = (reader.byte() & 1) === 1;
    reader.number();
    if (hasMaximum) reader.number();
  }
}

/** Reads the binary format. Reads past the end return zeros. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #decoder = new TextDecoder();
  at: number;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    return this.#bytes[this.at++] ?? 0;
  }

  /** LEB128, unsigned. */
  number(): number {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.byte();
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
  }

  text(): string {
    const length = this.number();
    const start = this.at;
    this.at += length;
    return this.#decoder.decode(this.#bytes.subarray(start, this.at));
  }
}
