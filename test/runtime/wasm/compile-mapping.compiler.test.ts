import { beforeAll, describe, expect, test } from "vitest";
import { DeterministicError } from "../../../src/runtime/errors.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import { handlerLimits } from "../../../src/runtime/wasm/limits.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { rewriteModule } from "../../../src/runtime/wasm/rewrite-module.js";
import { Module } from "../../../src/runtime/wasm/webassembly.js";
import { asc } from "../../support/compiler/asc.js";
import { assemble, eventOf, testWorld } from "./probe.js";

interface ImportCase {
  readonly name: string;
  readonly parameters: string;
  readonly args: string;
  readonly failure?: string;
}

const text = { parameters: "a: string", args: '"x"' };
const removed = { ...text, failure: "has been removed" };
const cases: readonly ImportCase[] = [
  { name: "arweave.transactionData", ...removed },
  { name: "box.profile", ...removed },
  { name: "ipfs.getBlock", ...text },
  { name: "ipfs.cat", ...text },
  { name: "ens.nameByHash", ...text },
  {
    failure: "AssemblyScript value that is 'null'",
    name: "ipfs.map",
    parameters: "a: string, b: string, c: usize, d: usize",
    args: '"a", "b", 0, 0',
  },
  { name: "gas.gas", parameters: "a: i64", args: "1" },
  { name: "dataSource.network", parameters: "", args: "" },
];

/** A module that imports functions from some module, with a handler that calls each. */
function importing(imports: readonly ImportCase[]): Promise<Uint8Array> {
  const parts = imports.map(
    ({ name, parameters, args }, i) => `
      // @ts-ignore: decorator
      @external("somewhere", "${name}")
      declare function imported${i}(${parameters}): ${name === "gas.gas" || name === "ipfs.map" ? "void" : "usize"};
      export function call${i}(event: i32): void { imported${i}(${args}); }`,
  );
  return assemble(parts.join("\n"), asc);
}

describe("a mapping may import under any module name", () => {
  let mapping: Mapping;
  beforeAll(async () => {
    mapping = compileMapping(await importing(cases));
  });

  test.each(cases.map((tried, i) => ({ ...tried, i })))("$name", ({ failure, i }) => {
    const run = (): void => mapping.run(`call${i}`, eventOf(), testWorld());
    if (failure === undefined) return expect(run).not.toThrow();
    expect(run).toThrow(DeterministicError);
    expect(run).toThrow(failure);
  });

  test.each(["dataSource.id", "toString"])("a mapping must not import %s", async (name) => {
    const wasm = await importing([{ name, parameters: "", args: "" }]);
    expect(() => compileMapping(wasm)).toThrow(`the module imports the function somewhere.${name}, which`);
  });
});

test("ipfs.getBlock returns the block's bytes, or null and a line in the log", async () => {
  const source = `
    import { Bytes, log } from "@graphprotocol/graph-ts";
    // @ts-ignore: decorator
    @external("index", "ipfs.getBlock")
    declare function getBlock(path: string): Bytes | null;
    function show(path: string): void {
      const found = getBlock(path);
      log.info(found ? found.toString() : "null", []);
    }
    export function handle(event: i32): void { show("Qm"); show("none"); }`;
  const world = testWorld();
  compileMapping(await assemble(source, asc)).run("handle", eventOf(), world);
  expect(world.said).toEqual(["block Qm", "Failed ipfs.getBlock, returning `null`: none", "null"]);
});

describe("a module is refused", () => {
  const header = [0, 97, 115, 109, 1, 0, 0, 0];
  const exported = (name: string, kind: number): number[] => [name.length, ...Buffer.from(name), kind, 0];
  /** One function that does nothing, exported under the names every mapping has. */
  const minimal = (memories: number, start: number[], memoryExport = exported("memory", 2)): Uint8Array => {
    const names = ["allocate", "id_of_type", "_start"].flatMap((name) => exported(name, 0));
    const exports = [4, ...names, ...memoryExport];
    const memory = memories === 0 ? [] : [5, 3, 1, 0, 1];
    return Uint8Array.from([
      ...header,
      1,
      4,
      1,
      0x60,
      0,
      0,
      3,
      2,
      1,
      0,
      ...memory,
      7,
      exports.length,
      ...exports,
      ...start,
      10,
      4,
      1,
      2,
      0,
      0x0b,
    ]);
  };

  test("refuses bytes that are not a module", () => {
    expect(() => compileMapping(Uint8Array.of(1, 2, 3))).toThrow();
    expect(() => compileMapping(Uint8Array.from(header))).toThrow(
      "the module does not export memory, allocate, id_of_type, _start",
    );
  });

  test("refuses a module without a memory or with a start section", () => {
    expect(() => compileMapping(minimal(1, []))).not.toThrow();
    expect(() => compileMapping(minimal(0, [], exported("memory", 0)))).toThrow("exactly one memory");
    expect(() => compileMapping(minimal(1, [8, 1, 0]))).toThrow("start section");
  });

  test("refuses a module that starts with more memory than allowed", () => {
    const wasm = minimal(1, []);
    const limits = { ...handlerLimits, memory: 2 ** 16 - 1 };
    expect(() => compileMapping(wasm, limits)).toThrow(
      "the module starts with 65,536 bytes of memory, but a handler can use at most 65,535",
    );
  });

  test("refuses a truncated module", () => {
    expect(() => rewriteModule(Uint8Array.from([...header, 5]), 1)).toThrow("ends in the middle");
  });

  test("accepts a memory with a limit", () => {
    const wasm = Uint8Array.from([...header, 5, 4, 1, 1, 2, 3]);
    expect(rewriteModule(wasm, 1)).toMatchObject({ initial: 2, maximum: 3 });
  });

  test("omits globals from the exports of a mapping", () => {
    const exports = [2, ...exported("count", 3), ...exported("memory", 2)];
    const wasm = Uint8Array.from([
      ...header,
      5,
      3,
      1,
      0,
      1,
      6,
      6,
      1,
      0x7f,
      0,
      0x41,
      0,
      0x0b,
      7,
      exports.length,
      ...exports,
    ]);
    const rewritten = new Module(rewriteModule(wasm, 1).wasm);
    expect(Module.exports(rewritten).map(({ name }) => name)).toEqual([
      "memory",
      "graphloom.steps",
      "graphloom.refused",
    ]);
    expect(Module.imports(rewritten)).toEqual([{ module: "graphloom", name: "memory", kind: "memory" }]);
  });
});
