import { describe, expect, test } from "vitest";
import { assemblyText } from "../../../src/compiler/abi/assembly-type.js";
import { bindAbi } from "../../../src/compiler/abi/bind-abi.js";
import type { BoundAbi, BoundParameter } from "../../../src/compiler/abi/bound-abi.js";
import { abiOf, type JsonEntry } from "./abi-of.js";
import { event, fn, struct } from "./entries.js";

function bind(...entries: readonly JsonEntry[]): BoundAbi {
  return bindAbi("Tok", abiOf(entries));
}

/** `name: type` of parameters, with the components of structs in braces. */
function shape(parameters: readonly BoundParameter[] | undefined): string {
  const texts = (parameters ?? []).map(({ name, assemblyType, struct }) => {
    return `${name}: ${assemblyText(assemblyType)}${struct ? ` {${shape(struct.components)}}` : ""}`;
  });
  return texts.join(", ");
}

describe("events", () => {
  test("numbers overloaded events in the order of the ABI", () => {
    const { events } = bind(
      event("Transfer"),
      event("Burn"),
      event("Transfer", "uint256 a"),
      event("Transfer"),
    );
    expect(events.map(({ className, paramsClass }) => [className, paramsClass])).toEqual([
      ["Transfer", "Transfer__Params"],
      ["Burn", "Burn__Params"],
      ["Transfer1", "Transfer1__Params"],
      ["Transfer2", "Transfer2__Params"],
    ]);
  });

  test.each<[string, Parameters<typeof event>, string]>([
    ["unnamed", ["E", "uint256", "bool"], "param0: BigInt, param1: boolean"],
    ["equal names", ["E", "uint256 a", "int8 a", "string a"], "a: BigInt, a1: i32, a2: string"],
    ["reserved words", ["E", "address in", "address in_"], "in_: Address, in_1: Address"],
    ["names of Object", ["E", "bytes4 __proto__", "bool toString"], "__proto__: Bytes, toString: boolean"],
    [
      "lists",
      ["E", "uint24[] a", "uint32[2] b", "bytes[][3] c"],
      "a: Array<i32>, b: Array<BigInt>, c: Array<Array<Bytes>>",
    ],
    [
      "hashed when indexed",
      ["E", "indexed string a", "indexed uint8[] b", "indexed uint8 c"],
      "a: Bytes, b: Bytes, c: i32",
    ],
    [
      "a struct",
      ["E", struct("_user", ["address", "int256 in"])],
      "_user: E_userStruct {value0: Address, in: BigInt}",
    ],
    [
      "a struct in a list of structs",
      ["E", struct("s", [struct("inner", ["bool x"], "[]")], "[][]")],
      "s: Array<Array<ESStruct>> {inner: Array<ESInnerStruct> {x: boolean}}",
    ],
  ])("names and types event parameters: %s", (_, written, want) => {
    expect(shape(bind(event(...written)).events[0]?.params)).toBe(want);
  });
});

describe("functions", () => {
  test("numbers methods and call classes independently", () => {
    const { methods, calls } = bind(
      fn("foo", "nonpayable", ["uint256"]),
      fn("foo", "view", [], ["bool"]),
      fn("foo", "nonpayable", ["address"], ["bool"]),
      fn("delete", "payable", [], ["bool"]),
    );
    expect(methods.map(({ name, tryName, signature }) => [name, tryName, signature])).toEqual([
      ["foo", "try_foo", "foo():(bool)"],
      ["foo1", "try_foo1", "foo(address):(bool)"],
    ]);
    expect(calls.map(({ className }) => className)).toEqual(["FooCall", "Foo1Call", "Delete_Call"]);
  });

  test("gives several outputs one class", () => {
    const [one, two] = bind(
      fn("one", "view", [], ["uint256 a"]),
      fn("two", "pure", [], ["bool", "bool"]),
    ).methods;
    expect(one).toMatchObject({ resultType: { kind: "graph-ts", name: "BigInt" } });
    expect(one).not.toHaveProperty("resultClass");
    expect(two).toMatchObject({
      resultType: { kind: "binding", name: "Tok__twoResult" },
      resultClass: "Tok__twoResult",
    });
  });

  test("gives a struct one class for the method and another for the call", () => {
    const inside = struct("in", [struct("deep", ["bool x"])]);
    const outside = struct("", [struct("deep", ["bool x"])]);
    const { methods, calls } = bind(fn("f", "nonpayable", [inside], [outside]));
    expect([methods[0], calls[0]].map((one) => [shape(one?.inputs), shape(one?.outputs)])).toEqual([
      [
        "in_: Tok__fInputIn_Struct {deep: Tok__fInputIn_DeepStruct {x: boolean}}",
        "value0: Tok__fResultValue0Struct {deep: Tok__fResultValue0DeepStruct {x: boolean}}",
      ],
      [
        "in_: FCallIn_Struct {deep: FCallIn_DeepStruct {x: boolean}}",
        "value0: FCallValue0OutputStruct {deep: FCallValue0DeepStruct {x: boolean}}",
      ],
    ]);
  });
});
