import { BinaryReader, countIn, encodedConstant, encodedName, encodedNumber, extended } from "./binary.js";
import { bulkBody, growBody, meteredCode } from "./metered-code.js";

/** The import of the memory in a rewritten module. */
export const memoryImport = { module: "graphloom", name: "memory" } as const;

/**
 * The globals that a rewritten module exports: the remaining steps, and whether the last `memory.grow` was refused.
 */
export const meterExports = { steps: "graphloom.steps", refused: "graphloom.refused" } as const;

/** The prefix of the export name of a global that code sets; its index follows. */
const ownGlobal = "graphloom.global.";

/** A module whose instances are cheap to create and whose runs are limited. */
export interface RewrittenModule {
  readonly wasm: Uint8Array;
  /**
   * The exported globals that a run may change, including those of the meter. `undefined` when a run may change more
   * than these globals and the memory, so that an instance cannot be reset.
   */
  readonly changed: readonly string[] | undefined;
  /** Initial size of the memory in pages of 64 KiB. */
  readonly initial: number;
  readonly maximum?: number;
}

const sectionId = {
  custom: 0,
  type: 1,
  import: 2,
  function: 3,
  memory: 5,
  global: 6,
  export: 7,
  start: 8,
  element: 9,
  code: 10,
  dataCount: 12,
} as const;
const kinds = { function: 0, table: 1, memory: 2, global: 3 } as const;
const i32 = 0x7f;

/**
 * Rewrites a module. It imports its memory, so that one memory can serve many instances in turn. Of its own
 * globals, it exports only globals that its code sets: graph-ts exports about two hundred unused ones, whose
 * objects make up most of the cost of an instance. Its code is metered in steps. Data and names are kept.
 * @param steps steps of an instance
 * @throws Error when the module does not define exactly one memory, has a start section, or contains
 * instructions that graph-node does not support
 */
export function rewriteModule(wasm: Uint8Array, steps: number): RewrittenModule {
  const sections = new Sections(wasm);
  const memory = sections.get(sectionId.memory);
  if (countIn(memory) !== 1) throw new Error("a mapping must define exactly one memory");
  if (sections.has(sectionId.start)) throw new Error("a mapping must not have a start section");
  const type = memory.subarray(1);
  const found = importsOf(sections.get(sectionId.import));
  const globals = found.globals + countIn(sections.get(sectionId.global));
  const [stepsLeft, refused] = [globals, globals + 1];
  const grow = found.functions + countIn(sections.get(sectionId.function));
  const growType = countIn(sections.get(sectionId.type));
  const meter = { steps: stepsLeft, hostFunctions: found.functions, grow, bulk: grow + 1 };
  sections.extend(sectionId.type, Uint8Array.of(0x60, 1, i32, 1, i32));
  sections.extend(sectionId.function, encodedNumber(growType), encodedNumber(growType));
  sections.extend(sectionId.import, Buffer.concat([importedMemory, Uint8Array.of(kinds.memory), type]));
  sections.extend(sectionId.global, global(steps), global(0));
  const { code, changed } = meteredCode(sections.get(sectionId.code), meter);
  const own = [...changed.globals].sort((a, b) => a - b);
  sections.set(sectionId.export, withoutGlobals(sections.get(sectionId.export)));
  sections.extend(
    sectionId.export,
    exportedGlobal(meterExports.steps, stepsLeft),
    exportedGlobal(meterExports.refused, refused),
    ...own.map((index) => exportedGlobal(ownGlobal + index, index)),
  );
  sections.set(sectionId.code, code);
  sections.extend(sectionId.code, growBody({ steps: stepsLeft, refused }), bulkBody(stepsLeft));
  sections.remove(sectionId.memory);
  const names = [meterExports.steps, meterExports.refused, ...own.map((index) => ownGlobal + index)];
  return {
    wasm: sections.joined(),
    changed: changed.tables ? undefined : names,
    ...limitsOf(type),
  };
}

const importedMemory = Buffer.concat([encodedName(memoryImport.module), encodedName(memoryImport.name)]);

/** A mutable i32 global. */
function global(value: number): Uint8Array {
  return Buffer.concat([Uint8Array.of(i32, 1, 0x41), encodedConstant(value), Uint8Array.of(0x0b)]);
}

function exportedGlobal(name: string, index: number): Uint8Array {
  return Buffer.concat([encodedName(name), Uint8Array.of(kinds.global), encodedNumber(index)]);
}

function limitsOf(type: Uint8Array): Pick<RewrittenModule, "initial" | "maximum"> {
  const reader = new BinaryReader(type);
  const hasMaximum = reader.number() === 1;
  const initial = reader.number();
  return { initial, ...(hasMaximum && { maximum: reader.number() }) };
}

/** The numbers of imported functions and globals. */
function importsOf(imports: Uint8Array): { readonly functions: number; readonly globals: number } {
  const reader = new BinaryReader(imports);
  const counts = { functions: 0, globals: 0 };
  for (let left = reader.number(); left > 0; left--) {
    reader.take(reader.number());
    reader.take(reader.number());
    const kind = reader.byte();
    if (kind === kinds.function) counts.functions += 1;
    else if (kind === kinds.global) counts.globals += 1;
    skipImported(reader, kind);
  }
  return counts;
}

function skipImported(reader: BinaryReader, kind: number): void {
  if (kind === kinds.function) reader.number();
  else if (kind === kinds.global) reader.take(2);
  else {
    if (kind === kinds.table) reader.byte();
    const hasMaximum = reader.number() === 1;
    reader.number();
    if (hasMaximum) reader.number();
  }
}

function withoutGlobals(exports: Uint8Array): Uint8Array {
  const reader = new BinaryReader(exports);
  const kept: Uint8Array[] = [];
  for (let count = reader.number(); count > 0; count--) {
    const start = reader.at;
    reader.take(reader.number());
    const kind = reader.byte();
    reader.number();
    if (kind !== kinds.global) kept.push(exports.subarray(start, reader.at));
  }
  return Buffer.concat([encodedNumber(kept.length), ...kept]);
}

interface Section {
  readonly id: number;
  content: Uint8Array;
}

/** The sections of a module, in order. A missing section counts as an empty vector. */
class Sections {
  readonly #header: Uint8Array;
  readonly #all: Section[] = [];

  constructor(wasm: Uint8Array) {
    this.#header = wasm.subarray(0, 8);
    const reader = new BinaryReader(wasm, 8);
    while (reader.at < wasm.length) {
      const id = reader.byte();
      const length = reader.number();
      this.#all.push({ id, content: reader.take(length) });
    }
  }

  has(id: number): boolean {
    return this.#all.some((section) => section.id === id);
  }

  get(id: number): Uint8Array {
    return this.#all.find((section) => section.id === id)?.content ?? Uint8Array.of(0);
  }

  set(id: number, content: Uint8Array): void {
    const found = this.#all.find((section) => section.id === id);
    if (found) found.content = content;
    else this.#all.splice(this.#placeOf(id), 0, { id, content });
  }

  /** Appends items to a section that is a vector. */
  extend(id: number, ...items: readonly Uint8Array[]): void {
    this.set(id, extended(this.get(id), items));
  }

  remove(id: number): void {
    const at = this.#all.findIndex((section) => section.id === id);
    if (at !== -1) this.#all.splice(at, 1);
  }

  joined(): Uint8Array {
    const parts = this.#all.flatMap(({ id, content }) => [
      Uint8Array.of(id),
      encodedNumber(content.length),
      content,
    ]);
    return Buffer.concat([this.#header, ...parts]);
  }

  #placeOf(id: number): number {
    const at = this.#all.findIndex(
      (section) => section.id !== sectionId.custom && rankOf(section.id) > rankOf(id),
    );
    return at === -1 ? this.#all.length : at;
  }
}

/** The order of a section: its id, except that DataCount is between elements and code. */
function rankOf(id: number): number {
  return id === sectionId.dataCount ? sectionId.element + 0.5 : id;
}
