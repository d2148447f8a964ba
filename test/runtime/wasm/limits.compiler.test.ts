import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { DeterministicError, RetriedError } from "../../../src/runtime/errors.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import { GasError, LimitError } from "../../../src/runtime/wasm/failures.js";
import { type HandlerLimits, handlerLimits } from "../../../src/runtime/wasm/limits.js";
import { asc } from "../../support/compiler/asc.js";
import { assemble, eventOf, int, type TestWorld, testWorld } from "./probe.js";

let wasm: Uint8Array;
beforeAll(async () => {
  wasm = await assemble(readFileSync(new URL("./limits.as", import.meta.url), "utf8"), asc);
});

/** Runs a handler with some number; what came of it. */
function run(handler: string, number = 0, limits: Partial<HandlerLimits> = {}): TestWorld {
  const world = testWorld();
  compileMapping(wasm, { ...handlerLimits, ...limits }).run(handler, eventOf(int(number)), world);
  return world;
}

function failureOf(handler: string, number?: number, limits?: Partial<HandlerLimits>): Error {
  try {
    run(handler, number, limits);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error(`${handler} ended well`);
}

describe("an endless handler is stopped", () => {
  test.each([
    "endless",
    "endlessCalls",
    // The host does nearly all of the work.
    "powers",
    "rewrite",
  ])("stops a handler that exceeds its steps: %s", (handler) => {
    const error = failureOf(handler, 0, { steps: 3_000_000 });
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toBeInstanceOf(DeterministicError);
    expect(error.message).toBe(
      "The handler took more than 3,000,000 steps (function calls and loop iterations): it probably never ends",
    );
  });

  test("stops an endless handler in reasonable time", () => {
    expect(failureOf("endless").message).toContain("more than 1,000,000,000 steps");
  });

  test("stops a handler whose calls are nested too deeply", () => {
    const error = failureOf("recursion");
    expect(error).toBeInstanceOf(LimitError);
    expect(error.message).toBe(
      "The handler nested function calls deeper than the stack allows: it probably never ends",
    );
  });

  test("gives the next handler all steps", () => {
    const mapping = compileMapping(wasm, { ...handlerLimits, steps: 100_000 });
    const world = testWorld();
    expect(() => mapping.run("endless", eventOf(), world)).toThrow(LimitError);
    for (let times = 0; times < 3; times++) mapping.run("turns", eventOf(int(80_000)), world);
    expect(() => mapping.run("turns", eventOf(int(110_000)), world)).toThrow(LimitError);
  });
});

describe("a handler that needs too much memory fails", () => {
  test.each([
    ["hoard", 0, 2 ** 26],
    ["oneLarge", 2 ** 26, 2 ** 26],
    ["oneLarge", 2 ** 30 - 1000, 2 ** 30],
  ])("refuses %s of %d bytes when the limit is %d", (handler, size, memory) => {
    const error = failureOf(handler, size, { memory });
    expect(error).toBeInstanceOf(LimitError);
    expect(error.message).toBe(
      `The handler needed more than ${memory.toLocaleString("en-US")} bytes of memory`,
    );
  });

  test("accepts a handler that needs less memory", () => {
    expect(() => run("oneLarge", 2 ** 25, { memory: 2 ** 26 })).not.toThrow();
  });
});

describe("a handler that has the host do too much fails", () => {
  test.each<readonly [string, keyof HandlerLimits, string]>([
    ["writes", "writes", "set or removed more than 250,000 entities"],
    ["removals", "writes", "set or removed more than 250,000 entities"],
    ["calls", "calls", "read contracts more than 199,999 times"],
    ["balances", "calls", "read contracts more than 199,999 times"],
    ["codes", "calls", "read contracts more than 199,999 times"],
    ["creations", "dataSources", "created more than 100,000 data sources"],
    ["creationsWithContext", "dataSources", "created more than 100,000 data sources"],
  ])("%s, and is retried as in graph-node", (handler, kind, message) => {
    const limit = handlerLimits[kind];
    expect(() => run(handler, limit)).not.toThrow();
    const error = failureOf(handler, limit + 1);
    expect(error).toBeInstanceOf(GasError);
    expect(error).toBeInstanceOf(RetriedError);
    expect(error.message).toBe(`The handler ${message}`);
  });

  test("after too many log lines, for good as in graph-node", () => {
    expect(() => run("chatter", handlerLimits.logLines)).not.toThrow();
    const error = failureOf("chatter", handlerLimits.logLines + 1);
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toBeInstanceOf(DeterministicError);
    expect(error.message).toBe("The handler logged more than 100,000 lines");
  });

  test("long lines", () => {
    expect(failureOf("gossip").message).toBe("The handler logged more than 100,000,000 characters");
  });
});
