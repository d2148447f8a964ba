import { describe, expect, test } from "vitest";
import { encodedNumber } from "../../../src/runtime/wasm/binary.js";
import { meterExports, rewriteModule } from "../../../src/runtime/wasm/rewrite-module.js";
import { Instance, Memory, Module, RuntimeError } from "../../../src/runtime/wasm/webassembly.js";

const section = (id: number, content: readonly number[]): Uint8Array =>
  Buffer.concat([Uint8Array.of(id), encodedNumber(content.length), Uint8Array.from(content)]);
const text = (name: string): number[] => [name.length, ...Buffer.from(name)];

/** A module with one function `f(i32): i32`, a table of it, a memory and one function of the host, `h()`. */
function moduleOf(body: readonly number[]): Uint8Array {
  const code = [0, ...body, 0x0b];
  return Buffer.concat([
    Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0),
    section(1, [2, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 0, 0]),
    section(2, [1, ...text("host"), ...text("h"), 0, 1]),
    section(3, [1, 0]),
    section(4, [1, 0x70, 0, 1]),
    section(5, [1, 1, 1, 2]),
    section(6, [1, 0x7f, 1, 0x41, 5, 0x0b]),
    section(7, [1, ...text("f"), 0, 1]),
    section(9, [1, 0, 0x41, 0, 0x0b, 1, 1]),
    section(10, [1, ...encodedNumber(code.length), ...code]),
  ]);
}

/** Calls the function with 0; what it gives, and how many steps it took. */
function stepsOf(
  body: readonly number[],
  steps = 10_000,
): { readonly value: unknown; readonly taken: number } {
  const { wasm, initial, maximum } = rewriteModule(moduleOf(body), steps);
  const memory = new Memory({ initial, ...(maximum !== undefined && { maximum }) });
  const imports = { host: { h: () => undefined }, graphloom: { memory } };
  const { exports } = new Instance(new Module(wasm), imports);
  const { f } = exports as { readonly [name: string]: unknown };
  if (typeof f !== "function") throw new Error("f is not a function");
  const value: unknown = f(0);
  const left = exports[meterExports.steps] as { readonly value: number };
  return { value, taken: steps - left.value };
}

const seven = [0x41, 7];
/** Bytes that mean something else where an instruction begins: of a loop, of a call. */
const traps = 0x03;

describe("the meter skips an instruction with its immediates", () => {
  test.each<readonly [string, readonly number[]]>([
    ["numbers of several bytes", [0x41, 0x83, 0x90, 0x00, 0x1a, ...seven]],
    ["long numbers", [0x42, 0x83, 0x90, 0x83, 0x90, 0x83, 0x00, 0x1a, ...seven]],
    [
      "floats",
      [0x43, traps, 0x10, traps, 0x40, 0x1a, 0x44, traps, 0x10, 0, 0, traps, 0, 0, 0x40, 0x1a, ...seven],
    ],
    ["memory", [0x41, 0, 0x41, 0, 0x28, 2, traps, 0x36, 2, traps, 0x3f, 0, 0x1a, ...seven]],
    ["blocks and branches", [0x02, 0x40, 0x41, 0, 0x0d, 0, 0x0c, 0, 0x0b, ...seven]],
    ["blocks of a type by index", [0x41, 3, 0x02, 0, 0x0b, 0x1a, ...seven]],
    ["tables of branches", [0x02, 0x40, 0x41, 0, 0x0e, 3, 0, 0, 0, 0, 0x0b, ...seven]],
    ["conditions", [0x41, 1, 0x04, 0x7f, ...seven, 0x05, 0x41, 8, 0x0b]],
    ["choices", [...seven, 0x41, 8, 0x41, 1, 0x1b]],
    ["choices with a type", [...seven, 0x41, 8, 0x41, 1, 0x1c, 1, 0x7f]],
    ["variables", [0x20, 0, 0x21, 0, 0x41, 3, 0x22, 0, 0x24, 0, 0x23, 0, 0x1a, ...seven]],
    ["conversions", [0x44, 0, 0, 0, 0, 0, 0, 0x1c, 0x40, 0xfc, 2]],
    [
      "bulk memory",
      [0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 10, 0, 0, 0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 11, 0, ...seven],
    ],
  ])("%s", (_, body) => {
    expect(stepsOf(body)).toEqual({ value: 7, taken: 1 });
  });

  test.each([
    ["SIMD", [0xfd, 0x0c]],
    ["tail calls", [0x12, 0]],
    ["exceptions", [0x06, 0x40]],
    ["further extended ones", [0xfc, 0x20]],
  ])("refuses %s, which graph-node does not support", (_, body) => {
    expect(() => rewriteModule(moduleOf(body), 1)).toThrow(
      "an instruction that graph-node does not support, 0x",
    );
  });
});

describe("steps are", () => {
  const loop = (times: number): number[] => [
    0x03,
    0x40,
    0x20,
    0,
    0x41,
    1,
    0x6a,
    0x22,
    0,
    0x41,
    times,
    0x48,
    0x0d,
    0,
    0x0b,
    0x20,
    0,
  ];

  test("counts function calls and loop iterations as steps", () => {
    expect(stepsOf(loop(40))).toEqual({ value: 40, taken: 41 });
  });

  test("charges more steps for host calls", () => {
    expect(stepsOf([0x10, 0, 0x10, 0, ...seven])).toEqual({ value: 7, taken: 201 });
  });

  const zero = [0x41, 0];
  /** A number of several bytes: 64 KiB. */
  const page = [0x41, 0x80, 0x80, 0x04];

  test.each<readonly [string, readonly number[], number]>([
    ["filled", [...zero, ...zero, ...page, 0xfc, 11, 0], 4096],
    ["copied", [...zero, ...zero, ...page, 0xfc, 10, 0, 0], 4096],
    ["filled by a few bytes", [...zero, ...zero, 0x41, 15, 0xfc, 11, 0], 0],
    ["grown, even by nothing", [...zero, 0x40, 0, 0x1a], 1000],
  ])("charges more steps for memory that is %s", (_, body, cost) => {
    expect(stepsOf([...body, ...seven])).toEqual({ value: 7, taken: 1 + cost });
    expect(() => stepsOf([...body, ...body, ...seven], Math.max(0, 2 * cost))).toThrow(RuntimeError);
  });

  test("charges more steps for a table that grows", () => {
    expect(stepsOf([0xd0, 0x70, ...page, 0xfc, 15, 0, 0x1a, ...seven]).taken).toBe(1 + 4096);
  });

  test("never gives steps back for a byte count that looks negative", () => {
    expect(() => stepsOf([...zero, ...zero, 0x41, 0x7f, 0xfc, 11, 0, ...seven])).toThrow("unreachable");
  });

  test("counts the steps of functions that are called through a table", () => {
    // f(0) calls f(1), which gives back 1.
    const body = [0x20, 0, 0x04, 0x7f, 0x20, 0, 0x05, 0x41, 1, 0x41, 0, 0x11, 0, 0, 0x0b];
    expect(stepsOf(body)).toEqual({ value: 1, taken: 2 });
  });

  test("counts exactly the steps that run", () => {
    expect(stepsOf(loop(40), 41)).toEqual({ value: 40, taken: 41 });
    expect(() => stepsOf(loop(40), 40)).toThrow(RuntimeError);
  });
});

test("metered code grows memory as usual, and records a refusal", () => {
  const grow = (pages: number): number[] => [0x41, pages, 0x40, 0];
  expect(stepsOf(grow(1)).value).toBe(1);
  expect(stepsOf([...grow(5), 0x1a, ...grow(1), 0x1a, ...grow(1)]).value).toBe(-1);
});

describe("the rewritten module lists the parts that a run may change", () => {
  const meter = [meterExports.steps, meterExports.refused];
  const zeros = [0x41, 0, 0x41, 0, 0x41, 0];

  test.each<readonly [string, readonly number[], readonly string[]]>([
    ["nothing but the meter", [], []],
    ["a global", [0x41, 3, 0x24, 0], ["graphloom.global.0"]],
    ["the memory", [...zeros, 0xfc, 10, 0, 0, ...zeros, 0xfc, 11, 0], []],
  ])("%s", (_, body, own) => {
    const { changed, wasm } = rewriteModule(moduleOf([...body, ...seven]), 1);
    expect(changed).toEqual([...meter, ...own]);
    expect(Module.exports(new Module(wasm)).map(({ name }) => name)).toEqual(["f", ...meter, ...own]);
  });

  test.each<readonly [string, readonly number[]]>([
    ["a table", [0x41, 0, 0xd0, 0x70, 0x26, 0]],
    ["a table, filled from a segment", [...zeros, 0xfc, 12, 0, 0]],
    ["a segment that is dropped", [0xfc, 13, 0]],
    ["the size of a table", [0xd0, 0x70, 0x41, 0, 0xfc, 15, 0, 0x1a]],
  ])("detects that a run may change more than globals and memory: %s", (_, body) => {
    const { changed, wasm } = rewriteModule(moduleOf([...body, ...seven]), 1);
    expect(() => new Module(wasm)).not.toThrow();
    expect(changed).toBeUndefined();
  });
});
