/** Where a rewritten module imports its memory from. */
export const memoryImport = { module: "graphloom", name: "memory" } as const;

/** A module whose instances are cheap to make. */
export interface RewrittenModule {
  readonly wasm: Uint8Array;
  /** Of its memory, in pages of 64 KiB. */
  readonly initial: number;
  readonly maximum?: number;
}

const sectionId = { custom: 0, import: 2, function: 3, memory: 5, export: 7, start: 8 } as const;
const globalKind = 3;

/**
 * Makes a module import its memory, so that one can serve many instances in turn, and export no globals: graph-ts
 * exports some two hundred that nobody reads, and an object for each of them is most of what an instance costs.
 * Code, data and names stay as they are.
 * @throws Error when the module does not have exactly one memory of its own, or runs by itself when it is loaded
 */
export function rewriteModule(wasm: Uint8Array): RewrittenModule {
  const sections = sectionsOf(wasm);
  const memory = sections.find(({ id }) => id === sectionId.memory);
  const reader = memory && new Reader(memory.content);
  if (!memory || reader?.number() !== 1) throw new Error("a mapping must have exactly one memory of its own");
  if (sections.some(({ id }) => id === sectionId.start))
    throw new Error("a mapping must not have a start section");
  const type = memory.content.subarray(reader.at);
  const hasMaximum = reader.number() === 1;
  const initial = reader.number();
  const rest = sections.filter(({ id }) => id !== sectionId.memory && id !== sectionId.import);
  const imports = sections.find(({ id }) => id === sectionId.import)?.content ?? Uint8Array.of(0);
  const at = rest.findIndex(({ id }) => id >= sectionId.function);
  rest.splice(at, 0, { id: sectionId.import, content: withMemory(imports, type) });
  const parts = rest.map(({ id, content }) => {
    const written = id === sectionId.export ? withoutGlobals(content) : content;
    return joined([Uint8Array.of(id), encoded(written.length), written]);
  });
  return {
    wasm: joined([wasm.subarray(0, 8), ...parts]),
    initial,
    ...(hasMaximum && { maximum: reader.number() }),
  };
}

interface Section {
  readonly id: number;
  readonly content: Uint8Array;
}

function sectionsOf(wasm: Uint8Array): Section[] {
  const reader = new Reader(wasm, 8);
  const sections: Section[] = [];
  while (reader.at < wasm.length) {
    const id = reader.byte();
    const length = reader.number();
    sections.push({ id, content: reader.take(length) });
  }
  return sections;
}

function withMemory(imports: Uint8Array, type: Uint8Array): Uint8Array {
  const reader = new Reader(imports);
  const count = reader.number();
  const names = [named(memoryImport.module), named(memoryImport.name)];
  return joined([encoded(count + 1), imports.subarray(reader.at), ...names, Uint8Array.of(2), type]);
}

function withoutGlobals(exports: Uint8Array): Uint8Array {
  const reader = new Reader(exports);
  const kept: Uint8Array[] = [];
  for (let count = reader.number(); count > 0; count--) {
    const start = reader.at;
    reader.take(reader.number());
    const kind = reader.byte();
    reader.number();
    if (kind !== globalKind) kept.push(exports.subarray(start, reader.at));
  }
  return joined([encoded(kept.length), ...kept]);
}

class Reader {
  readonly #bytes: Uint8Array;
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

  /** LEB128. */
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
}

function encoded(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Uint8Array.from([...bytes, rest]);
}

function named(name: string): Uint8Array {
  const bytes = new TextEncoder().encode(name);
  return joined([encoded(bytes.length), bytes]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
