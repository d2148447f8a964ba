import { SourceMap, type SourceMapPayload } from "node:module";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  RELEASE_SYNC,
} from "quickjs-emscripten";
import { isRecord } from "../../../base/text/json-value.js";
import { messageOf } from "../../../base/text/message-of.js";
import { Memory } from "../../../runtime/wasm/webassembly.js";
import type { Rows, RowValue } from "../../changes/rows.js";
import { sandboxCode } from "../../script/sandbox-code.js";
import type { ScriptAnswer, ScriptProgram } from "../../script/script-engine.js";
import { givenText, madeRows, ScriptRowError } from "../../script/script-values.js";
import type { Pulse } from "./pulse.js";
import { type ScriptLimits, takesLonger } from "./script-limits.js";

const scriptFile = "script.js";

/** Pages of memory that are a megabyte. */
const pages = 16;
/** Megabytes that the engine is built to start with. */
const firstMemory = 16;

/** How many milliseconds the script should run before it reports its row. */
const stretch = 20;
const mostRows = 512;

/** A script in a separate engine. It must not be used again after a failure. */
export class ScriptSandbox {
  readonly #context: QuickJSContext;
  readonly #program: ScriptProgram;
  readonly #limits: ScriptLimits;
  readonly #pulse: Pulse;
  #run: QuickJSHandle | undefined;
  #progress: QuickJSHandle | undefined;
  /** Rows of the next call of the engine. */
  #stride = 8;
  #batchEnd = Number.POSITIVE_INFINITY;
  /** The row of the call that runs, and since when. */
  #row = 0;
  #rowSince = 0;
  /** Why the script was interrupted. */
  #stopped: string | undefined;

  private constructor(context: QuickJSContext, program: ScriptProgram, limits: ScriptLimits, pulse: Pulse) {
    this.#context = context;
    this.#program = program;
    this.#limits = limits;
    this.#pulse = pulse;
  }

  /** Starts a script. @returns why it cannot be started, as a failure of all rows */
  static async open(
    program: ScriptProgram,
    limits: ScriptLimits,
    pulse: Pulse,
  ): Promise<ScriptSandbox | ScriptAnswer> {
    // The engine counts its allocations but not their sizes, so what bounds it is the memory that it is given.
    const wasmMemory = new Memory({
      initial: firstMemory * pages,
      maximum: limits.memory * pages,
    });
    const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(RELEASE_SYNC, { wasmMemory }));
    const runtime = quickjs.newRuntime();
    const sandbox = new ScriptSandbox(runtime.newContext(), program, limits, pulse);
    runtime.setInterruptHandler(() => sandbox.#mustStop());
    return sandbox.#guarded(undefined, () => {
      sandbox.#start();
      return sandbox;
    });
  }

  /** Calls the script for each row. */
  run(rows: Rows): ScriptAnswer {
    this.#batchEnd = performance.now() + this.#limits.batchTime;
    const made: (readonly RowValue[])[] = [];
    for (let first = 0; first < rows.count; ) {
      const end = Math.min(rows.count, first + this.#stride);
      const part = this.#guarded(first, () => this.#call(rows, first, end));
      if ("kind" in part) return part;
      for (const row of part) made.push(row);
      first = end;
    }
    const columns = this.#program.output.map((_, column) => made.map((row) => row[column] as RowValue));
    return { kind: "rows", rows: { count: made.length, columns } };
  }

  #start(): void {
    this.#pulse.enter(0, 0);
    const { evaluate, take } = this.#calls();
    const prepare = evaluate(sandboxCode(this.#program), "sandbox.js");
    this.#rowSince = performance.now();
    evaluate(this.#program.code, scriptFile).dispose();
    const invoke = evaluate("invoke", scriptFile);
    const started = take(this.#context.callFunction(prepare, this.#context.undefined, invoke));
    this.#run = this.#context.getProp(started, "run");
    this.#progress = this.#context.getProp(started, "progress");
    for (const handle of [started, invoke, prepare]) handle.dispose();
  }

  #call(rows: Rows, first: number, end: number): readonly (readonly RowValue[])[] {
    const { take } = this.#calls();
    const { undefined: nothing } = this.#context;
    const since = performance.now();
    this.#pulse.enter(first, end - first);
    const text = this.#context.newString(givenText(rows, first, end));
    const count = this.#context.newNumber(end - first);
    const answer = take(this.#context.callFunction(this.#run as QuickJSHandle, nothing, text, count));
    const made = this.#context.getString(answer);
    for (const handle of [text, count, answer]) handle.dispose();
    this.#pulse.leave();
    const perRow = (performance.now() - since) / (end - first);
    this.#stride = Math.max(1, Math.min(mostRows, Math.floor(stretch / perRow)));
    return madeRows(made, first, this.#program.output);
  }

  #calls() {
    const context = this.#context;
    const take = (result: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle => {
      if (!result.error) return result.value;
      throw new ScriptThrown(result.error.consume((error) => context.dump(error)));
    };
    const evaluate = (code: string, file: string): QuickJSHandle => take(context.evalCode(code, file));
    return { take, evaluate };
  }

  /** Runs a part of the script. @param first the first row; `undefined` for the start */
  #guarded<T>(first: number | undefined, work: () => T): T | ScriptAnswer {
    this.#row = -1;
    this.#rowSince = performance.now();
    try {
      return work();
    } catch (error) {
      if (error instanceof ScriptRowError) return { kind: "failed", row: error.row, message: error.message };
      const row = first === undefined ? undefined : first + this.#rowNow();
      return { kind: "failed", row, message: this.#stopped ?? this.#described(error) };
    } finally {
      this.#pulse.leave();
    }
  }

  /** The engine calls this regularly while the script runs. */
  #mustStop(): boolean {
    this.#pulse.beat();
    const now = performance.now();
    const row = this.#rowNow();
    if (row !== this.#row) {
      this.#row = row;
      this.#rowSince = now;
    }
    const { rowTime, batchTime } = this.#limits;
    if (now - this.#rowSince > rowTime) this.#stopped ??= takesLonger(rowTime);
    else if (now > this.#batchEnd)
      this.#stopped ??= `the rows of a batch together: ${takesLonger(batchTime)}`;
    return this.#stopped !== undefined;
  }

  /** The row of the current call that is being computed. */
  #rowNow(): number {
    if (!this.#progress) return 0;
    return this.#context
      .getArrayBuffer(this.#progress)
      .consume(({ value: bytes }) => new DataView(bytes.buffer, bytes.byteOffset).getInt32(0, true));
  }

  #described(error: unknown): string {
    if (error instanceof RangeError) return tooDeep;
    if (!(error instanceof ScriptThrown)) return `its engine has failed: ${messageOf(error)}`;
    const { thrown } = error;
    if (!isRecord(thrown) || typeof thrown.message !== "string")
      return `it throws ${shortened(JSON.stringify(thrown) ?? "undefined")}`;
    const { name, message, stack } = thrown;
    if (name === "InternalError" && message === "out of memory")
      return `it needs more than ${this.#limits.memory} MB of memory`;
    if (name === "InternalError" && message === "stack overflow") return tooDeep;
    const line = this.#lineOf(String(stack));
    return `${shortened(`${String(name)}: ${message}`)}${line === undefined ? "" : ` (line ${line} of the script)`}`;
  }

  /** The line of the user's text at the top of a stack, from 1. */
  #lineOf(stack: string): number | undefined {
    const [, line, column] = new RegExp(`\\(${scriptFile}:(\\d+):(\\d+)\\)`).exec(stack) ?? [];
    if (line === undefined || column === undefined) return undefined;
    const map = new SourceMap(JSON.parse(this.#program.map) as SourceMapPayload);
    const entry = map.findEntry(Number(line) - 1, Number(column) - 1);
    return "originalLine" in entry ? entry.originalLine + 1 : undefined;
  }
}

const tooDeep = "it calls itself too deeply";

/** An exception of a script. */
class ScriptThrown extends Error {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    super("the script has thrown");
    this.thrown = thrown;
  }
}

function shortened(text: string): string {
  return text.length > 300 ? `${text.slice(0, 297)}...` : text;
}
