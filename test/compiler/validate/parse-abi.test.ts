import { describe, expect, test } from "vitest";
import { callSignature, manifestSignature, plainSignature } from "../../../src/compiler/abi/abi.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import type { Location } from "../../../src/compiler/source/source.js";
import { parseAbi } from "../../../src/compiler/validate/parse-abi.js";

const source = { path: "a.json", text: "" };
const entryAt = (index: number): Location => ({ source, pointer: `/${index}`, start: index, end: index + 1 });

function parse(...entries: unknown[]) {
  const report = new Report();
  const located: number[] = [];
  const locateEntry = (index: number): Location => {
    located.push(index);
    return entryAt(index);
  };
  const abi = parseAbi({ entries, source, locateEntry }, report);
  const found = report.diagnostics.map(({ code, at, message }) => `${at?.pointer} ${code}: ${message}`);
  return { abi, found, located };
}

const input = (type: string, name = "") => ({ name, type });

describe("an event of an ABI", () => {
  test("is read whole", () => {
    const { abi, found, located } = parse(
      { type: "constructor", inputs: [] },
      {
        type: "event",
        name: "Transfer",
        inputs: [
          { name: "from", type: "address", indexed: true, internalType: "address" },
          { type: "uint", indexed: false },
        ],
      },
    );
    expect(found).toEqual([]);
    expect(abi).toEqual({
      events: [
        {
          kind: "event",
          name: "Transfer",
          inputs: [
            { name: "from", type: { kind: "address" }, indexed: true },
            { name: "", type: { kind: "int", signed: false, bits: 256 }, indexed: false },
          ],
          anonymous: false,
          index: 1,
          locate: expect.any(Function),
        },
      ],
      functions: [],
    });
    expect(located).toEqual([]);
    expect(abi.events[0]?.locate()).toEqual(entryAt(1));
  });

  test("is recognised without a type, by the keys that only events have", () => {
    const { abi, found } = parse(
      { name: "f", inputs: [input("address")] },
      { name: "E", anonymous: false, inputs: [] },
      { name: "F", inputs: [{ ...input("address"), indexed: false }] },
      { name: "G", anonymous: true },
    );
    expect(abi.events.map(({ name, anonymous }) => [name, anonymous])).toEqual([
      ["E", false],
      ["F", false],
      ["G", true],
    ]);
    expect(abi.functions.map(({ name }) => name)).toEqual(["f"]);
    expect(found).toEqual([
      "/1 abi-entry-type: entry 2 of this ABI has no type: graphloom reads it as an event",
    ]);
  });

  test("is reported once when it has no type and is faulty", () => {
    const { abi, found } = parse({ anonymous: false, inputs: [] });
    expect(abi.events).toEqual([]);
    expect(found).toEqual(["/0 abi-entry: entry 1 of this ABI is an event without a name"]);
  });

  test.each<[string, unknown, string]>([
    ["anonymous", { type: "event", name: "E", inputs: [], anonymous: true }, "E()"],
    ["without inputs", { type: "event", name: "E" }, "E()"],
    [
      "a struct",
      {
        type: "event",
        name: "E",
        inputs: [
          {
            name: "s",
            type: "tuple[2]",
            indexed: true,
            components: [input("int8"), { type: "tuple", components: [input("bytes")] }],
          },
        ],
      },
      "E(indexed (int8,(bytes))[2])",
    ],
    ["a library's type", { type: "event", name: "E", inputs: [input("Lib.Kind")] }, "E(Lib.Kind)"],
  ])("has a signature: %s", (_, entry, want) => {
    const { abi, found } = parse(entry);
    expect(found).toEqual([]);
    expect(abi.events.map(manifestSignature)).toEqual([want]);
  });
});

describe("a function of an ABI", () => {
  test.each<[string, object, string, string]>([
    [
      "today's",
      { type: "function", stateMutability: "pure", inputs: [input("bool")], outputs: [input("int24")] },
      "pure",
      "f(bool):(int24)",
    ],
    ["constant", { type: "function", constant: true }, "view", "f()"],
    ["payable", { type: "function", payable: true, constant: false }, "payable", "f()"],
    ["neither", { type: "function", payable: false, constant: false }, "nonpayable", "f()"],
    ["new and old", { type: "function", stateMutability: "payable", constant: true }, "payable", "f()"],
    ["without a type", { inputs: [], outputs: [], constant: true }, "view", "f()"],
    [
      "a library's storage",
      { type: "function", inputs: [input("Lib.Set storage")] },
      "nonpayable",
      "f(Lib.Set storage)",
    ],
  ])("has a mutability and a signature: %s", (_, entry, mutability, signature) => {
    const { abi, found } = parse({ name: "f", ...entry });
    expect(found).toEqual([]);
    expect(abi.functions.map((fn) => [fn.mutability, callSignature(fn)])).toEqual([[mutability, signature]]);
  });

  test("ignores the keyword indexed on an input", () => {
    const { abi } = parse({ type: "function", name: "f", inputs: [{ type: "bool", indexed: true }] });
    expect(abi.functions[0]?.inputs[0]?.indexed).toBe(false);
  });

  test("keeps overloads in their order", () => {
    const { abi } = parse(
      ...["bool", "int8"].map((type) => ({ type: "function", name: "f", inputs: [input(type)] })),
    );
    expect(abi.functions.map((fn) => [fn.index, plainSignature(fn)])).toEqual([
      [0, "f(bool)"],
      [1, "f(int8)"],
    ]);
  });
});

test("the parser ignores entries that subgraphs do not use", () => {
  const { abi, found } = parse(...["constructor", "fallback", "receive", "error"].map((type) => ({ type })));
  expect([abi, found]).toEqual([{ events: [], functions: [] }, []]);
});

const dimensions = (count: number): string => `uint8${"[]".repeat(count)}`;
function nested(depth: number): object {
  let type: object = input("bool");
  for (let i = 0; i < depth; i++) type = { type: "tuple", components: [type] };
  return { type: "event", name: "E", inputs: [type] };
}

describe("a faulty entry of an ABI", () => {
  test.each<[string, unknown, string]>([
    ["a number", 5, "is not an object"],
    ["null", null, "is not an object"],
    ["a list", [], "is not an object"],
    ["an unknown type", { type: "struct" }, 'has the unknown type "struct"'],
    ["a type that is not a string", { type: 1 }, "has a type that is not a string"],
    ["no name", { type: "event" }, "is an event without a name"],
    ["an empty name", { type: "function", name: "" }, "is a function without a name"],
    ["nothing", {}, "is a function without a name"],
    [
      "a path for a name",
      { type: "event", name: "../x" },
      'is an event with the name "../x", which Solidity does not allow',
    ],
    ["inputs", { type: "event", name: "E", inputs: {} }, 'has "inputs" that are not a list'],
    ["outputs", { type: "function", name: "f", outputs: "x" }, 'has "outputs" that are not a list'],
    ["an input", { type: "event", name: "E", inputs: ["x"] }, "has a parameter that is not an object"],
    ["no type", { type: "event", name: "E", inputs: [{ name: "x" }] }, "has a parameter without a type"],
    [
      "a parameter's name",
      { type: "event", name: "E", inputs: [{ name: 1, type: "bool" }] },
      "has a parameter whose name is not a string",
    ],
    [
      "a parameter's odd name",
      { type: "event", name: "E", inputs: [{ name: "a b", type: "bool" }] },
      'has a parameter named "a b", which Solidity does not allow',
    ],
    [
      "a hollow struct",
      { type: "event", name: "E", inputs: [{ type: "tuple" }] },
      'has a struct without "components"',
    ],
    [
      "mutability",
      { type: "function", name: "f", stateMutability: "const" },
      'has a "stateMutability" other than view, pure, nonpayable or payable',
    ],
    [
      "too many dimensions",
      { type: "event", name: "E", inputs: [input(dimensions(64))] },
      "has an array of more than 63 dimensions",
    ],
    [
      "far too many",
      { type: "event", name: "E", inputs: [input(dimensions(100_000))] },
      "has an array of more than 63 dimensions",
    ],
    ["structs too deep", nested(65), "nests structs deeper than 64 levels"],
    ["structs far too deep", nested(50_000), "nests structs deeper than 64 levels"],
  ])("is reported: %s", (_, entry, problem) => {
    const { abi, found } = parse({ type: "receive" }, entry);
    expect(found).toEqual([`/1 abi-entry: entry 2 of this ABI ${problem}`]);
    expect(abi).toEqual({ events: [], functions: [] });
  });

  test("is reported once when it has several faults", () => {
    expect(parse({ type: "function", inputs: 1, outputs: 2, stateMutability: 3 }).found).toHaveLength(1);
  });

  test("is accepted just within the limits", () => {
    expect(parse(nested(64), { type: "event", name: "E", inputs: [input(dimensions(63))] }).found).toEqual(
      [],
    );
  });
});
