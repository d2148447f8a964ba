import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bindAbi } from "../../../../src/compiler/abi/bind-abi.js";
import { printAbiBindings } from "../../../../src/compiler/emit/bindings/print-abi-bindings.js";
import { propertyRun } from "../../../support/property/property-run.js";
import { abiOf, type JsonEntry, type JsonParameter } from "../../abi/abi-of.js";
import { event, fn, struct } from "../../abi/entries.js";
import { peerAbiBindings } from "./peer.js";

function ours(className: string, json: readonly JsonEntry[]): string {
  return printAbiBindings(bindAbi(className, abiOf(json)));
}

const allTypes =
  "address bool string bytes bytes1 bytes32 int8 int32 int40 int256 uint8 uint24 uint32 uint256"
    .split(" ")
    .flatMap((type) => ["", "[]", "[3]", "[][]", "[2][]", "[][4]"].map((dimensions) => type + dimensions));

const point = struct("point", ["int24 x", "int24 y"]);
const nested = struct("nested", [point, struct("points", ["uint256 x"], "[]"), "bytes data", "bool"], "[2]");

/** A name long enough to make lines break. */
function long(length: number): string {
  return "aVeryLongNameOfAParameterOrAFunctionInAContractThatWantsToSayItAllInOneIdentifier".slice(0, length);
}

const handMade: readonly [string, readonly JsonEntry[]][] = [
  ["nothing at all", []],
  ["events only", [event("Transfer", "indexed address from", "indexed address to", "uint256 value")]],
  ["functions only", [fn("totalSupply", "view", [], ["uint256"])]],
  ["all types as event parameters", [event("E", ...allTypes)]],
  ["all types as indexed parameters", allTypes.map((type) => event("E", `indexed ${type} value`))],
  ["all types as inputs", allTypes.map((type) => fn("f", "view", [`${type} value`], ["bool"]))],
  ["all types as the only output", allTypes.map((type) => fn("f", "pure", [], [type]))],
  ["all types among several outputs", [fn("f", "nonpayable", allTypes, allTypes)]],
  [
    "overloads",
    [
      event("A"),
      event("A", "bool"),
      fn("a", "nonpayable"),
      fn("a", "view", [], ["bool"]),
      fn("a", "nonpayable", ["bool"], ["bool"]),
    ],
  ],
  [
    "mutabilities",
    ["view", "pure", "nonpayable", "payable"].map((mutability) =>
      fn(mutability, mutability, ["bool a"], ["bool b"]),
    ),
  ],
  [
    "reserved words",
    [
      event("delete", "bool in", "bool in_"),
      fn("new", "nonpayable", ["bool class"], ["bool this", "bool var"]),
    ],
  ],
  [
    "unnamed and equal names",
    [
      event("E", "bool", "bool a", "bool a"),
      fn("f", "nonpayable", ["bool", "bool a", "bool a"], ["bool", "bool a", "bool a"]),
    ],
  ],
  [
    "structs in events",
    [event("E", point, nested, struct("m", [nested], "[][]"), { ...point, indexed: true })],
  ],
  ["structs in calls", [fn("f", "nonpayable", [point, nested], [nested, point])]],
  ["a struct as the only output", [fn("f", "view", [], [point]), fn("g", "view", [], [nested])]],
  ["a struct as the first of several", [fn("f", "view", [struct("", ["bool"], "[][]")], [point, "bool b"])]],
  ["an empty struct", [event("E", struct("nothing", []))]],
  [
    "odd names",
    [
      event("E$", "bool $a", "bool _"),
      event("__proto__", "bool constructor", "bool toString"),
      fn("_$", "view", ["bool $"], ["bool"]),
    ],
  ],
];

// Formatting is slow on a busy machine.
describe("prints the same bindings as graph-cli for", () => {
  test.each(handMade)("%s", async (_, json) => {
    expect(ours("Tok", json)).toBe(await peerAbiBindings("Tok", abiOf(json)));
  });

  test("names of any length", async () => {
    const lengths = Array.from({ length: 80 }, (_, at) => at + 1);
    const json = lengths.flatMap((length) => [
      event(long(length), `uint256 ${long(length)}`, struct("s", [`bool ${long(length)}`], "[]")),
      fn(long(length), "nonpayable", ["uint8 a", `uint256[][] ${long(80 - length)}`], ["uint256[][]"]),
      fn(
        `_${long(length)}`,
        "view",
        [`uint8 ${long(80 - length)}`],
        ["uint8 a", struct(long(length), ["bool"], "[]")],
      ),
      fn(`$${long(length)}`, "view", [], ["bool"]),
    ]);
    expect(ours("Tok", json)).toBe(await peerAbiBindings("Tok", abiOf(json)));
  });
});

const name = fc.oneof(
  fc.integer({ min: 1, max: 70 }).map(long),
  fc.constantFrom("", "a", "in", "to", "value0", "param1", "_from"),
);
const leaf = fc.record({ name, type: fc.constantFrom(...allTypes) });
const { parameter } = fc.letrec<{ parameter: JsonParameter }>((tie) => ({
  parameter: fc.oneof(
    { depthSize: "small" },
    leaf,
    fc.record({
      name,
      type: fc.constantFrom("tuple", "tuple", "tuple[]", "tuple[2]", "tuple[][]"),
      components: fc.array(tie("parameter"), { maxLength: 3 }),
    }),
  ),
}));
const parameters = fc.array(parameter, { maxLength: 4 });
const entryName = name.map((text) => text || "f");
const anyEvent = fc.record({
  type: fc.constant("event"),
  name: entryName,
  inputs: fc.array(
    fc.tuple(parameter, fc.boolean()).map(([input, indexed]) => ({ ...input, indexed })),
    { maxLength: 4 },
  ),
});
const anyFunction = fc.record({
  type: fc.constant("function"),
  name: entryName,
  stateMutability: fc.constantFrom("view", "pure", "nonpayable", "payable"),
  inputs: parameters,
  // graph-cli's bindings for lists of lists of structs have a syntax error.
  outputs: parameters.map((list) => list.filter(({ type }) => type !== "tuple[][]")),
});

test("the compiler prints the same bindings as graph-cli for any interface", async () => {
  const interfaces = fc.array(fc.oneof(anyEvent, anyFunction), { minLength: 1, maxLength: 3 });
  const classNames = fc.integer({ min: 1, max: 70 }).map((length) => `A${long(length)}`);
  await fc.assert(
    fc.asyncProperty(interfaces, classNames, async (json, className) => {
      expect(ours(className, json)).toBe(await peerAbiBindings(className, abiOf(json)));
    }),
    propertyRun(),
  );
}, 60_000);
