/** The exports and imports of a WASM module. */
export interface WasmInterface {
  readonly exports: readonly string[];
  readonly imports: readonly { readonly module: string; readonly name: string }[];
}

/** The used part of Node's WebAssembly API: neither our `lib` nor Node 20's types declare it. */
declare const WebAssembly: {
  readonly Module: {
    new (bytes: Uint8Array): object;
    exports(module: object): { readonly name: string }[];
    imports(module: object): { readonly module: string; readonly name: string }[];
  };
};

/**
 * Reads the exports and imports of a module, in module order.
 * @throws {Error} if the bytes are not a module
 */
export function inspectWasm(wasm: Uint8Array): WasmInterface {
  const module = new WebAssembly.Module(wasm);
  return {
    exports: WebAssembly.Module.exports(module).map((entry) => entry.name),
    imports: WebAssembly.Module.imports(module).map((entry) => ({ module: entry.module, name: entry.name })),
  };
}
