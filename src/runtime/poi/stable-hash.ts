import { Instance, Module, type WasmGlobal, type WasmMemory } from "../wasm/webassembly.js";
import { stableHash } from "./stable-hash-wasm.js";

/** The functions of `stable-hash.as`. */
export interface StableHash {
  readonly memory: WasmMemory;
  readonly input: WasmGlobal;
  start(): void;
  reset(): void;
  mixin(at: number): void;
  save(at: number): void;
  finish(at: number): void;
  root(): void;
  child(number: bigint): void;
  write(at: number, length: number): void;
  integer(value: bigint): void;
  eventsOf(block: bigint): void;
  event(block: bigint, index: bigint): void;
  blake3(at: number, length: number, to: number, blocks: number): void;
}

const compiled = new Module(Buffer.from(stableHash, "base64"));

/** A new instance with a memory of its own. */
export function newStableHash(): StableHash {
  return new Instance(compiled, {}).exports as unknown as StableHash;
}
