import { beforeAll, expect, test } from "vitest";
import type { AscInput, AscOutput } from "../../../src/compiler/asc/asc.js";
import { type LoadedAsc, runAsc } from "../../../src/compiler/asc/asc-run.js";
import { loadAsc } from "../../../src/compiler/asc/load-asc.js";
import { program } from "./harness.js";

let loaded: LoadedAsc;
beforeAll(async () => {
  loaded = await loadAsc(async () => undefined);
});

/** As many classes as a subgraph has bindings and entities, each with methods of every kind. */
function classes(count: number): AscInput {
  const all = Array.from(
    { length: count },
    (_, index) => `
export class A${index} { x: i32 = ${index}; get y(): A${index} { return this } set y(to: A${index}) {}
  static of(list: Array<A${index}>): A${index} | null { return list.length > 0 ? list[0] : null }
  apply(f: (x: A${index}) => i32): i32 { return f(this) } twice(): i32 { return 2 * this.x } }
export function f${index}(a: A${index}): i32 { return a.y.twice() + a.apply((x: A${index}): i32 => x.x) + (A${index}.of([a])!).x }
`,
  );
  return { ...program({ "src/mapping.ts": all.join("") }), mode: "fast" };
}

function wasmOf(output: AscOutput): Buffer {
  expect(output.kind).toBe("compiled");
  return Buffer.from((output as { wasm: Uint8Array }).wasm);
}

test("comparing fewer signatures gives the same bytes", () => {
  const input = classes(20);
  const unindexed = { ...loaded, internals: { ...loaded.internals, Signature: { prototype: {} } } };
  expect(wasmOf(runAsc(loaded, input, [])).equals(wasmOf(runAsc(unindexed, input, [])))).toBe(true);
});

test("the compiler compares a signature only with similar ones, not with all", () => {
  const { prototype } = loaded.internals.Signature;
  const { equals } = prototype;
  let compared = 0;
  prototype.equals = function (this: unknown, ...args: unknown[]): unknown {
    compared += 1;
    return equals?.apply(this, args);
  };
  try {
    wasmOf(runAsc(loaded, classes(150), []));
  } finally {
    if (equals) prototype.equals = equals;
  }
  // There are about 2,500 signatures, which make more than a million pairs.
  expect(compared).toBeLessThan(50_000);
});
