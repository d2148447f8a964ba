import type { Heap } from "./heap.js";
import { Global, type MappingExports, type WasmGlobal } from "./webassembly.js";

/** An instance that has started, and can be brought back to that. */
export interface Started {
  readonly exports: MappingExports;
  restore(): void;
}

/**
 * Remembers an instance as it is after its start.
 * @param changed its exported globals that a run may change
 * @returns nothing when one of them holds what cannot be set again exactly
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
    // JavaScript knows one NaN, WebAssembly many.
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

/** Nothing for a vector, which JavaScript cannot read. */
function readGlobal(global: WasmGlobal<unknown>): unknown {
  try {
    return global.value;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
