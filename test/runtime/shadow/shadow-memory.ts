/** The part of the `WebAssembly` global that `@types/node` leaves to the DOM types. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly { readonly module: string; readonly name: string }[];
  };
  readonly Instance: new (
    module: object,
    imports: Record<string, Record<string, unknown>>,
  ) => { readonly exports: object };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  allocate(size: number): number;
  id_of_type(type: number): number;
  _start(): void;
}

/** A host function: takes numbers and bigints (i64), and returns a number (usually a pointer) or nothing. */
export type HostFunction = (...args: number[]) => unknown;

/** The class ids of graph-ts. */
export const TypeId = {
  String: 0,
  ArrayBuffer: 1,
  Uint8Array: 6,
  BigDecimal: 12,
  ArrayEthereumValue: 15,
  ArrayStoreValue: 16,
  ArrayEventParam: 19,
  ArrayMapEntry: 21,
  EventParam: 23,
  Transaction: 24,
  Block: 25,
  Call: 26,
  EthereumValue: 30,
  StoreValue: 31,
  Event: 33,
  MapEntry: 34,
  Map: 36,
  Receipt: 1000,
  Log: 1001,
  ArrayBytes: 1002,
  ArrayLog: 1003,
  ArrayMap: 1004,
} as const;

export function compileModule(wasm: Uint8Array): object {
  return new WebAssembly.Module(wasm);
}

/** One instance of a module, and AssemblyScript's objects in its memory. Pointer 0 is null. */
export class ShadowMemory {
  readonly #exports: Exports & Readonly<Record<string, unknown>>;

  /** @param hostFunctions by field name of the import; importing an unknown one is an error, as in graph-node */
  constructor(
    module: object,
    hostFunctions: (memory: ShadowMemory) => Readonly<Record<string, HostFunction>>,
  ) {
    const functions = hostFunctions(this);
    const imports: Record<string, Record<string, unknown>> = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
      if (!functions[name])
        throw new Error(`the module imports ${from}.${name}, which this host does not have`);
      imports[from] = { ...imports[from], [name]: functions[name] };
    }
    const instance = new WebAssembly.Instance(module, imports);
    this.#exports = instance.exports as Exports & Readonly<Record<string, unknown>>;
    this.#exports._start();
  }

  run(handler: string, argument: number): void {
    const run = this.#exports[handler];
    if (typeof run !== "function") throw new Error(`the module does not export ${handler}`);
    run(argument);
  }

  get #view(): DataView {
    return new DataView(this.#exports.memory.buffer);
  }

  /** An object with the header that AssemblyScript's `__new` writes. */
  #object(type: number, size: number, fill: (view: DataView, at: number) => void): number {
    const at = this.#exports.allocate(16 + size) + 16;
    const view = this.#view;
    for (let i = at - 16; i < at + size; i++) view.setUint8(i, 0);
    view.setUint32(at - 8, this.#exports.id_of_type(type), true);
    view.setUint32(at - 4, size, true);
    fill(view, at);
    return at;
  }

  struct(type: number, members: readonly number[]): number {
    return this.#object(type, members.length * 4, (view, at) => {
      for (const [i, member] of members.entries()) view.setUint32(at + i * 4, member, true);
    });
  }

  #buffer(bytes: Uint8Array): number {
    return this.#object(TypeId.ArrayBuffer, bytes.length, (view, at) => {
      new Uint8Array(view.buffer, at, bytes.length).set(bytes);
    });
  }

  bytes(bytes: Uint8Array): number {
    const buffer = this.#buffer(bytes);
    return this.struct(TypeId.Uint8Array, [buffer, buffer, bytes.length]);
  }

  array(type: number, items: readonly number[]): number {
    const buffer = this.#buffer(new Uint8Array(Uint32Array.from(items).buffer));
    return this.struct(type, [buffer, buffer, items.length * 4, items.length]);
  }

  string(text: string): number {
    return this.#object(TypeId.String, text.length * 2, (view, at) => {
      for (let i = 0; i < text.length; i++) view.setUint16(at + i * 2, text.charCodeAt(i), true);
    });
  }

  bigInt(value: bigint): number {
    return this.bytes(bigIntBytes(value));
  }

  tagged(type: number, kind: number, payload: bigint): number {
    return this.#object(type, 16, (view, at) => {
      view.setUint32(at, kind, true);
      view.setBigUint64(at + 8, BigInt.asUintN(64, payload), true);
    });
  }

  map(entries: readonly (readonly [string, number])[]): number {
    const items = entries.map(([key, value]) => this.struct(TypeId.MapEntry, [this.string(key), value]));
    return this.struct(TypeId.Map, [this.array(TypeId.ArrayMapEntry, items)]);
  }

  /** The members of a struct. */
  members(at: number, count: number): number[] {
    const view = this.#view;
    return Array.from({ length: count }, (_, i) => view.getUint32(notNull(at) + i * 4, true));
  }

  readString(at: number): string {
    const length = this.#view.getUint32(notNull(at) - 4, true);
    return Buffer.from(this.#exports.memory.buffer.slice(at, at + length)).toString("utf16le");
  }

  readBytes(at: number): Uint8Array {
    const [, start = 0, length = 0] = this.members(at, 3);
    return new Uint8Array(this.#exports.memory.buffer.slice(start, start + length));
  }

  readArray(at: number): number[] {
    const [, start = 0, , length = 0] = this.members(at, 4);
    return length === 0 ? [] : this.members(start, length);
  }

  readBigInt(at: number): bigint {
    const bytes = this.readBytes(at);
    return BigInt.asIntN(
      bytes.length * 8,
      bytes.reduceRight((sum, byte) => sum * 256n + BigInt(byte), 0n),
    );
  }

  readTagged(at: number): { kind: number; payload: bigint } {
    const view = this.#view;
    return { kind: view.getUint32(notNull(at), true), payload: view.getBigUint64(at + 8, true) };
  }

  readMap(at: number): [string, number][] {
    return this.readArray(this.members(at, 1)[0] ?? 0).map((entry) => {
      const [key = 0, value = 0] = this.members(entry, 2);
      return [this.readString(key), value];
    });
  }
}

function notNull(at: number): number {
  if (at === 0) throw new Error("the mapping passed null where a value is required");
  return at;
}

/** The shortest two's complement, little endian. */
export function bigIntBytes(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  do {
    bytes.push(Number(BigInt.asUintN(8, rest)));
    rest >>= 8n;
  } while (BigInt.asIntN(bytes.length * 8, value) !== value);
  return Uint8Array.from(bytes);
}
