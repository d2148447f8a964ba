import type { Heap } from "./heap.js";
import { Global, type MappingExports, type WasmGlobal } from "./webassembly.js";

/** A started instance that can be reset to its state after the start. */
export interface Started {
  readonly exports: MappingExports;
  restore(): void;
}

/**
 * Saves the state of an instance after its start.
 * @param changed the exported globals that a run may change
 * @returns `undefined` when the value of such a global cannot be restored exactly
 */
export function saveStarted(
  exports: MappingExports,
  heap: Heap,
  changed: readonly string[],
): Started | undefined {
  const globals: WasmGlobal<unknown>[] = [];
  const values: unknown[] = [];
  for (const name of changed) {
    const global = exports[name];
    if (!(global instanceof Global)) return undefined;
    const value = readGlobal(global);
    // JavaScript has one NaN, WebAssembly has many.
    if (typeof value !== "bigint" && (typeof value !== "number" || Number.isNaN(value))) return undefined;
    globals.push(global);
    values.push(value);
  }
  const state = heap.save();
  return {
    exports,
    restore() {
      heap.restore(state);
      for (let index = 0; index < globals.length; index++) {
        (globals[index] as WasmGlobal<unknown>).value = values[index];
      }
    },
  };
}

/** The value of a global; `undefined` for a vector, which JavaScript cannot read. */
function readGlobal(global: WasmGlobal<unknown>): unknown {
  try {
    return global.value;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
