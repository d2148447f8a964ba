import type { StoreValue } from "../../subgraph/schema/entity.js";
import { RetriedError } from "../errors.js";
import type { Trigger } from "../values.js";
import { writeStoreValue } from "./entity-in-heap.js";
import { LimitError, TrapError } from "./failures.js";
import { Heap, unknownTypeIds } from "./heap.js";
import { hostFunctions } from "./host/host-functions.js";
import { HostSession } from "./host/session.js";
import { Tally } from "./host/tally.js";
import type { JsonTree } from "./json.js";
import { type HandlerLimits, handlerLimits, limitText } from "./limits.js";
import type { Mapping, MappingWorld } from "./mapping.js";
import { memoryImport, rewriteModule } from "./rewrite-module.js";
import { writeJson } from "./tree-in-heap.js";
import { writeTrigger } from "./trigger-in-heap.js";
import {
  compile,
  Global,
  type HostFunction,
  type Imports,
  Instance,
  type MappingExports,
  Memory,
  Module,
  RuntimeError,
  type WasmGlobal,
} from "./webassembly.js";

/** A started instance that can be reset to its state after the start. */
interface Started {
  readonly exports: MappingExports;
  restore(): void;
}

/** Memories larger than this, in bytes, are not reused. */
const reusableSize = 1 << 20;
const pageSize = 1 << 16;
const requiredExports = ["memory", "allocate", "id_of_type", "_start"];

/**
 * Compiles the module of a mapping of API version 0.0.9. Its instances take turns with one memory, which is cleared in
 * between: this is ten times as fast as a new memory. If the state after the start is the same in every run, an
 * instance is reset to that state and serves the next handler: this is ten times as fast as a new instance. Both are
 * invisible to handlers.
 * @param limits the limits of one run of a handler
 * @throws Error when it is not a mapping module, starts with more memory than the limit, or imports something that
 * graph-node does not provide
 */
export function compileMapping(wasm: Uint8Array, limits: HandlerLimits = handlerLimits): Mapping {
  const original = new Module(wasm);
  const found = exportsOf(original);
  const { wasm: rewritten, changed, ...pages } = rewriteModule(wasm, limits.steps);
  const module = new Module(rewritten);
  const greatest = Math.floor(limits.memory / pageSize);
  if (pages.initial > greatest) throw new Error(tooLarge(pages.initial * pageSize, limits.memory));
  const memoryLimits = { ...pages, maximum: Math.min(greatest, pages.maximum ?? greatest) };
  const typeIds = unknownTypeIds();
  const session = new HostSession();
  const functions = importedFunctions(original, hostFunctions(session, runCallback));
  const exports = new Set([...found].filter(([, kind]) => kind === "function").map(([name]) => name));
  let idle: Workplace | undefined;

  function run(handler: string, trigger: Trigger, world: MappingWorld): void {
    if (!exports.has(handler)) throw new Error(`the module does not export a function ${handler}`);
    runIn({ world, tally: new Tally(limits) }, handler, (heap) => [writeTrigger(heap, trigger)]);
  }

  function runCallback(name: string, value: JsonTree, userData: StoreValue): void {
    if (!exports.has(name)) throw new RetriedError(`the module does not export the callback ${name}`);
    const { world: outer, tally } = session;
    outer.apart((world) =>
      runIn({ world, tally }, name, (heap) => [writeJson(heap, value), writeStoreValue(heap, userData)]),
    );
  }

  function runIn(
    surroundings: { readonly world: MappingWorld; readonly tally: Tally },
    name: string,
    argumentsIn: (heap: Heap) => readonly number[],
  ): void {
    const workplace = idle ?? newWorkplace(new Heap(new Memory(memoryLimits), typeIds), functions);
    idle = undefined;
    try {
      const { heap } = workplace;
      session.during({ heap, ...surroundings }, () => {
        const exports = startInstance(workplace);
        const run = exports[name];
        if (typeof run !== "function") throw new Error(`${name} is not a function`);
        run(...argumentsIn(heap));
      });
    } catch (error) {
      throw convertFailure(error, workplace.heap, limits);
    } finally {
      if (workplace.heap.size <= reusableSize) idle = workplace;
    }
  }

  function startInstance(workplace: Workplace): MappingExports {
    const { heap, imports, started } = workplace;
    if (started) {
      started.restore();
      return started.exports;
    }
    heap.clear();
    const { exports: own } = new Instance(module, imports);
    heap.attach(own);
    const before = session.asked;
    own._start();
    if (changed && session.asked === before) workplace.started = saveStarted(own, heap, changed);
    return own;
  }

  return { exports, run };
}

/**
 * Checks that a module is a mapping, without running it. Even a large module does not block the thread.
 * @throws Error when it is not a module, lacks an export that every mapping has, or imports something that graph-node
 * does not provide
 */
export async function checkMapping(wasm: Uint8Array): Promise<void> {
  const module = await compile(wasm);
  exportsOf(module);
  importedFunctions(
    module,
    hostFunctions(new HostSession(), () => undefined),
  );
}

/** The kinds of a module's exports, by name. @throws Error when an export that every mapping has is missing */
function exportsOf(module: object): ReadonlyMap<string, string> {
  const found = new Map(Module.exports(module).map(({ name, kind }) => [name, kind]));
  const missing = requiredExports.filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`the module does not export ${missing.join(", ")}`);
  return found;
}

function tooLarge(size: number, limit: number): string {
  const [needed, most] = [size, limit].map((bytes) => bytes.toLocaleString("en-US"));
  return `the module starts with ${needed} bytes of memory, but a handler can use at most ${most}`;
}

/** Converts an error of a run to an error in terms of the mapping. */
function convertFailure(error: unknown, heap: Heap, limits: HandlerLimits): unknown {
  if (error instanceof RangeError && error.message.includes("call stack")) {
    const text = "nested function calls deeper than the stack allows: it probably never ends";
    return new LimitError(text, { cause: error });
  }
  if (!(error instanceof RuntimeError)) return error;
  const broken = heap.brokenLimit;
  return broken ? new LimitError(limitText(broken, limits[broken]), { cause: error }) : new TrapError(error);
}

/** A memory, the imports of an instance on it, and the instance if it can be reused. */
interface Workplace {
  readonly heap: Heap;
  readonly imports: Imports;
  started?: Started | undefined;
}

type Functions = Readonly<Record<string, Readonly<Record<string, HostFunction>>>>;

function newWorkplace(heap: Heap, functions: Functions): Workplace {
  return { heap, imports: { ...functions, [memoryImport.module]: { [memoryImport.name]: heap.memory } } };
}

/** Matches imports by field name alone, as in graph-node. */
function importedFunctions(module: object, functions: Readonly<Record<string, HostFunction>>): Functions {
  const imports: Record<string, Record<string, HostFunction>> = {};
  for (const { module: from, name, kind } of Module.imports(module)) {
    const found = kind === "function" && Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (!found)
      throw new Error(`the module imports the ${kind} ${from}.${name}, which graph-node does not provide`);
    imports[from] = { ...imports[from], [name]: found };
  }
  return imports;
}

/**
 * Saves the state of an instance after its start.
 * @param changed the exported globals that a run may change
 * @returns `undefined` when the value of such a global cannot be restored exactly
 */
function saveStarted(exports: MappingExports, heap: Heap, changed: readonly string[]): Started | undefined {
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
