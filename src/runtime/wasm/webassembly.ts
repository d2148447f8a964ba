/** The exports of every mapping besides its handlers. */
export interface MappingExports {
  allocate(size: number): number;
  id_of_type(type: number): number;
  _start(): void;
  readonly [name: string]: unknown;
}

export interface WasmMemory {
  readonly buffer: ArrayBuffer;
  /** @param pages of 64 KiB */
  grow(pages: number): number;
}

export interface WasmGlobal<T = number> {
  value: T;
}

/** A host function. It takes numbers, and returns a number (usually a pointer), a bigint (i64) or nothing. */
export type HostFunction = (...args: number[]) => number | bigint | undefined;

/** Host functions by the field name of the import. */
export type HostFunctions = Readonly<Record<string, HostFunction>>;

export type Imports = Readonly<Record<string, Readonly<Record<string, HostFunction | WasmMemory>>>>;

interface ModuleEntry {
  readonly name: string;
  readonly kind: string;
}

/** The part of Node's WebAssembly API used here. `@types/node` leaves its declaration to the DOM library. */
declare const WebAssembly: {
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  readonly Module: {
    new (bytes: Uint8Array): object;
    imports(module: object): readonly (ModuleEntry & { readonly module: string })[];
    exports(module: object): readonly ModuleEntry[];
  };
  readonly Instance: new (module: object, imports: Imports) => { readonly exports: MappingExports };
  readonly Memory: new (limits: { readonly initial: number; readonly maximum?: number }) => WasmMemory;
  readonly Global: new (
    type: { readonly value: "i32"; readonly mutable: boolean },
    value: number,
  ) => WasmGlobal;
  readonly RuntimeError: new (message?: string) => Error;
};

export const { compile, Module, Instance, Memory, Global, RuntimeError } = WebAssembly;
