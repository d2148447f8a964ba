import { writeStoreValue } from "../../runtime/wasm/entity-in-heap.js";
import { AbortError, TrapError } from "../../runtime/wasm/failures.js";
import { Heap, unknownTypeIds } from "../../runtime/wasm/heap.js";
import { HostSession } from "../../runtime/wasm/host/session.js";
import { Tally } from "../../runtime/wasm/host/tally.js";
import { handlerLimits } from "../../runtime/wasm/limits.js";
import { writeJson } from "../../runtime/wasm/tree-in-heap.js";
import {
  type HostFunction,
  type Imports,
  Instance,
  type MappingExports,
  Module,
  RuntimeError,
  type WasmMemory,
} from "../../runtime/wasm/webassembly.js";
import type { TestLine, TestPlace } from "../outcome.js";
import { isOfLibrary, type SourcePlaces } from "./source-places.js";
import { StopError } from "./stop-error.js";
import { type Registered, testFunctions } from "./test-functions.js";
import { type TestedSubgraph, TestWorld } from "./test-world.js";

/** A compiled test file. */
export interface CompiledTests {
  readonly wasm: Uint8Array;
  readonly places: SourcePlaces;
}

/** A failed call of a test function, as a line below the test. */
export interface CallFailure {
  readonly line: TestLine;
  /** Whether it fails even a test that should fail. */
  readonly stops: boolean;
}

/** The most nested calls between a test and a failure. */
const deepest = 200;

/** No limit: a test may do more than a handler. */
const boundless = new Tally({
  ...handlerLimits,
  logLines: Infinity,
  logText: Infinity,
  writes: Infinity,
  calls: Infinity,
  dataSources: Infinity,
});

/** A running module of tests. Unlike a mapping, it keeps its globals and its memory from one test to the next. */
export class TestModule {
  readonly #compiled: CompiledTests;
  readonly #module: object;
  readonly #world: TestWorld;
  readonly #ran: (handler: number) => void;
  readonly #exports: MappingExports;
  readonly #heap: Heap;
  readonly #session = new HostSession();
  #registered: Registered[] = [];
  #lines: TestLine[] = [];

  /** Starts the module. @throws Error for imports that neither graph-node nor matchstick provides */
  constructor(
    compiled: CompiledTests,
    subgraph: TestedSubgraph,
    ran: (handler: number) => void,
    world = new TestWorld(subgraph),
  ) {
    this.#compiled = compiled;
    this.#module = new Module(compiled.wasm);
    this.#world = world;
    this.#ran = ran;
    const functions = testFunctions({
      session: this.#session,
      world,
      register: (item) => this.#registered.push(item),
      print: (level, text) => this.#lines.push({ level, text, at: this.#here(level) }),
      callback: (name, value, userData) => {
        const other = this.#other(world);
        other.start();
        const called = other.#exports[name];
        if (typeof called !== "function") throw new StopError(`function ${name} not found`);
        other.#run(() => called(writeJson(other.#heap, value), writeStoreValue(other.#heap, userData)));
        this.#lines.push(...other.takeLines());
      },
      ran,
    });
    const { exports } = new Instance(this.#module, importsOf(this.#module, functions));
    this.#exports = exports;
    this.#heap = new Heap(exports.memory as WasmMemory, unknownTypeIds());
    this.#heap.attach(exports);
  }

  /** Another instance of the same module. */
  #other(world: TestWorld): TestModule {
    return new TestModule(this.#compiled, world.subgraph, this.#ran, world);
  }

  /** Runs the code outside of all functions. @returns its registrations @throws its failure */
  start(): readonly Registered[] {
    this.#run(() => this.#exports._start());
    return this.#take();
  }

  /** The registrations of a `describe`, collected in a separate instance, as in matchstick. @throws its failure */
  describe(index: number): readonly Registered[] {
    const other = this.#other(new TestWorld(this.#world.subgraph));
    other.start();
    other.#run(() => other.#function(index)());
    return other.#take();
  }

  /** Calls a function of a test. @returns why it failed; `undefined` when it did not */
  call(index: number): CallFailure | undefined {
    try {
      this.#run(() => this.#function(index)());
      return undefined;
    } catch (error) {
      return this.failureOf(error);
    }
  }

  /** The lines that were logged since the last time. */
  takeLines(): readonly TestLine[] {
    const lines = this.#lines;
    this.#lines = [];
    return lines;
  }

  /** An error that a function of this module threw. */
  failureOf(thrown: unknown): CallFailure {
    const error = thrown instanceof RuntimeError ? new TrapError(thrown) : thrown;
    if (!(error instanceof Error)) throw thrown;
    const stops = error instanceof StopError;
    const at = ownPlace(error) ?? this.#compiled.places.find(stackOf(thrown));
    return { line: { level: stops ? "critical" : "debug", text: failureText(error), at }, stops };
  }

  #run(task: () => void): void {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = deepest;
    try {
      this.#session.during({ heap: this.#heap, world: this.#world, tally: boundless }, task);
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  #take(): readonly Registered[] {
    const registered = this.#registered;
    this.#registered = [];
    return registered;
  }

  #function(index: number): () => void {
    const { table } = this.#exports;
    const found = (table as { get(index: number): unknown } | undefined)?.get(index);
    if (typeof found !== "function") throw new Error(`the module has no function ${index} in its table`);
    return found as () => void;
  }

  /** Where the running test is, for lines that say why it fails. */
  #here(level: TestLine["level"]): TestLine["at"] {
    if (level !== "error") return undefined;
    return this.#compiled.places.find(stackOf(new Error()));
  }
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? "") : "";
}

/** Where the project's own code says that it aborts. */
function ownPlace(error: Error): TestPlace | undefined {
  if (!(error instanceof AbortError) || error.file === undefined || error.line === 0) return undefined;
  return isOfLibrary(error.file) ? undefined : { file: error.file, line: error.line };
}

function failureText(error: Error): string {
  if (error instanceof RangeError) return "nested function calls deeper than the stack allows";
  return error.message;
}

function importsOf(module: object, functions: Readonly<Record<string, HostFunction>>): Imports {
  const imports: Record<string, Record<string, HostFunction>> = {};
  const missing: string[] = [];
  for (const { module: from, name, kind } of Module.imports(module)) {
    const found = kind === "function" && Object.hasOwn(functions, name) ? functions[name] : undefined;
    if (found) imports[from] = { ...imports[from], [name]: found };
    else missing.push(/^[A-Z]/.test(from) ? `${from}.${name}` : name);
  }
  if (missing.length === 0) return imports;
  throw new Error(`the tests need ${missing.join(", ")}, which neither graph-node nor matchstick provides`);
}
