import { expect, test } from "vitest";
import type { AbiEvent, AbiFunction } from "../../../src/compiler/abi/abi.js";
import { makeBindable } from "../../../src/compiler/abi/make-bindable.js";
import type { Parameter } from "../../../src/compiler/abi/solidity-type.js";
import { abiOf, type JsonEntry } from "./abi-of.js";
import { event, fn, struct } from "./entries.js";

/** The names of parameters, with those of components in braces. */
function names(parameters: readonly Parameter[]): string {
  return parameters
    .map(({ name, type }) => (type.kind === "tuple" ? `${name}{${names(type.components)}}` : name))
    .join(" ");
}

function namesOf(entry: AbiEvent | AbiFunction): string {
  return names(entry.inputs) + (entry.kind === "function" ? ` : ${names(entry.outputs)}` : "");
}

const renamed: readonly [string, JsonEntry, string][] = [
  ["event parameters", event("E", "bool constructor", "bool _event", "bool of"), "constructor_ _event_ of_"],
  ["what the peer escapes stays", event("E", "bool in", "bool delete"), "in delete"],
  ["numbers that clash", event("E", "bool a", "bool a", "bool a1"), "a a a1_"],
  ["invalid names", event("E", "bool a-b", "bool 1", "bool é"), "  "],
  [
    "an unnamed one that clashes",
    event("E", "bool param1", "bool param1", "bool", "bool param11"),
    "param1 param1  param11_",
  ],
  [
    "components",
    event("E", struct("s", ["bool in", "bool delete", "bool length", "bool a", "bool a"])),
    "s{in_ delete length_ a a_}",
  ],
  ["an unnamed component", event("E", struct("s", ["bool value1", "bool"])), "s{value1 value1_}"],
  [
    "method parameters",
    fn("f", "view", ["bool null", "bool result", "bool _call"], ["bool null"]),
    "null_ result_ _call : null",
  ],
  ["call values", fn("f", "payable", ["bool null", "bool _call"], ["bool async"]), "null _call_ : async_"],
  ["both", fn("f", "nonpayable", ["bool null", "bool _call"], ["bool async"]), "null_ _call_ : async_"],
  ["results that differ in case", fn("f", "view", [], ["bool a", "bool A"]), " : a A_"],
  [
    "structs inside input and output",
    fn(
      "f",
      "nonpayable",
      [struct("s", [struct("inner", ["bool x"])])],
      [struct("s", [struct("inner", ["bool x"])])],
    ),
    "s{inner{x}} : s{inner_{x}}",
  ],
  [
    "structs that meet by their path",
    event("E", struct("a", [struct("bC", ["bool x"])]), struct("aBC", ["bool x"])),
    "a{bC{x}} aBC_{x}",
  ],
  ["structs that differ in case", event("E", struct("a", ["bool x"]), struct("A", ["bool x"])), "a{x} A_{x}"],
  [
    "structs in inputs of a method that differ in case",
    fn("f", "view", [struct("a", ["bool x"]), struct("A", ["bool x"])], ["bool"]),
    "a{x} A_{x} : ",
  ],
  [
    "structs in results that meet by their path",
    fn("f", "view", [], [struct("a", [struct("bC", ["bool x"])]), struct("aBC", ["bool x"])]),
    " : a{bC{x}} aBC_{x}",
  ],
];

test.each(renamed)("makeBindable renames: %s", (_, entry, want) => {
  const { abi, rejected } = makeBindable("Tok", abiOf([entry]));
  expect(rejected).toEqual([]);
  expect([...abi.events, ...abi.functions].map(namesOf)).toEqual([want]);
});

test("makeBindable returns the same object when nothing needs to change", () => {
  const given = abiOf([
    event("E", "bool a", struct("s", ["bool x"], "[]")),
    fn("f", "nonpayable", ["bool"], ["bool"]),
  ]);
  const { abi } = makeBindable("Tok", given);
  expect([abi.events[0], abi.functions[0]]).toEqual([given.events[0], given.functions[0]]);
  expect(abi.events[0]).toBe(given.events[0]);
  expect(abi.functions[0]).toBe(given.functions[0]);
});

const rejections: readonly [string, readonly JsonEntry[], string][] = [
  [
    "an unsupported type",
    [event("E", "MyLib.Kind kind")],
    'E: the type MyLib.Kind of "kind" has no binding in AssemblyScript',
  ],
  [
    "an unsupported type in a struct",
    [event("E", struct("s", ["fixed128x18[]"], "[]"))],
    "E: the type fixed128x18[] has no binding in AssemblyScript",
  ],
  [
    "three dimensions",
    [fn("f", "view", ["uint8[][][] a"], ["bool"])],
    'f: the type uint8[][][] of "a" has more than two dimensions',
  ],
  [
    "three dimensions in a struct",
    [event("E", struct("s", ["bool[2][2][2]"]))],
    "E: the type bool[2][2][2] has more than two dimensions",
  ],
  [
    "a result of lists of structs",
    [fn("f", "view", [], [struct("", ["bool x"], "[][]")])],
    "f: a list of lists of structs cannot be the result of a call",
  ],
  [
    "a name that is not an identifier",
    [event("a b"), event("")],
    'a b: "a b" is not an identifier; : "" is not an identifier',
  ],
  [
    "a word as a method",
    [fn("abstract", "view", [], ["bool"])],
    'abstract: "abstract" cannot be the name of a method in AssemblyScript',
  ],
  [
    "a method whose name clashes",
    [fn("try_f", "view", [], ["bool"]), fn("f", "view", [], ["bool"])],
    'f: its method name "try_f" is already taken by function try_f',
  ],
  [
    "calls that differ in case",
    [fn("foo", "payable"), fn("Foo", "payable")],
    'Foo: its class name "FooCall" is already taken by function foo',
  ],
];

test.each(rejections)("makeBindable rejects: %s", (_, entries, want) => {
  const { rejected } = makeBindable("Tok", abiOf(entries));
  expect(rejected.map(({ entry, reason }) => `${entry.name}: ${reason}`).join("; ")).toBe(want);
});

const stoodFor: readonly [string, readonly JsonEntry[], readonly string[]][] = [
  ["a class of graph-ts", [event("BigInt")], ["BigIntEvent for BigInt"]],
  ["a word as a class", [event("type"), event("void")], ["typeEvent for type", "voidEvent for void"]],
  ["the contract's own name", [event("Tok")], ["TokEvent for Tok"]],
  [
    "a number that clashes",
    [event("A"), event("A", "bool"), event("A1"), event("A1Event")],
    ["A", "A", "A1Event2 for A1", "A1Event"],
  ],
  [
    "numbers that clash with one before them",
    [event("A1"), event("A"), event("A", "bool"), event("A", "string")],
    ["A1", "A", "A1Event for A1", "A2Event for A2"],
  ],
  [
    "a call after an event",
    [event("TransferCall"), fn("transfer", "payable")],
    ["TransferCallEvent for TransferCall"],
  ],
  [
    "a call before an event",
    [fn("transfer", "payable"), event("TransferCall")],
    ["TransferCallEvent for TransferCall"],
  ],
  ["parameters", [event("T"), event("T__Params")], ["T", "T__ParamsEvent for T__Params"]],
  [
    "a struct of another event",
    [event("T", struct("s", ["bool x"])), event("TSStruct")],
    ["T", "TSStructEvent for TSStruct"],
  ],
];

test.each(stoodFor)("makeBindable gives a stand-in name to %s", (_, entries, want) => {
  const { abi, rejected } = makeBindable("Tok", abiOf(entries));
  expect(rejected).toEqual([]);
  const names = abi.events.map(
    ({ name, standsFor }) => `${name}${standsFor ? ` for ${standsFor.className}` : ""}`,
  );
  expect(names).toEqual(want);
});

test("an event with a stand-in name keeps its topic and its parameters' names", () => {
  const given = abiOf([event("Entity", "indexed bool", "bool topic0", "bool a", "bool a", "bool of")]);
  const [changed] = makeBindable("Tok", given).abi.events;
  expect(changed).toMatchObject({ name: "EntityEvent", anonymous: true, standsFor: { className: "Entity" } });
  expect(changed?.inputs.map(({ name, indexed }) => `${indexed ? "indexed " : ""}${name}`)).toEqual([
    "indexed topic0_",
    "indexed param0",
    "topic0",
    "a",
    "a1",
    "of_",
  ]);
});

const accepted: readonly [string, readonly JsonEntry[]][] = [
  ["three dimensions, hashed", [event("E", "indexed bool[][][] a")]],
  [
    "lists of lists of structs as the outputs of a call handler",
    [fn("f", "payable", [], [struct("", ["bool x"], "[][]")])],
  ],
  [
    "methods named like words that only classes must avoid",
    [fn("get", "view", [], ["bool"]), fn("async", "view", [], ["bool"])],
  ],
  [
    "names of Object",
    [event("__proto__", "bool __proto__"), event("toString"), fn("hasOwnProperty", "view", [], ["bool"])],
  ],
  ["a name that clashes only with a rejected one", [event("E", "MyLib.Kind"), event("E"), event("E1")]],
];

test.each(accepted)("makeBindable accepts: %s", (_, entries) => {
  const reasons = makeBindable("Tok", abiOf(entries)).rejected.map(({ reason }) => reason);
  expect(reasons.filter((reason) => !reason.includes("MyLib.Kind"))).toEqual([]);
});
