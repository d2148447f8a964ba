import { expect, test } from "vitest";
import type { Abi } from "../../../src/compiler/abi/abi.js";
import { bindAbi } from "../../../src/compiler/abi/bind-abi.js";
import type { BoundAbi } from "../../../src/compiler/abi/bound-abi.js";
import { makeBindable } from "../../../src/compiler/abi/make-bindable.js";
import { abiOf, type JsonEntry } from "./abi-of.js";
import { compileBindings } from "./compile-bindings.js";
import { event, fn, struct } from "./entries.js";
import { words } from "./words.js";

/** An interface that uses the word wherever a name can appear. */
function everywhere(word: string): Abi {
  return abiOf([
    event(word, "uint256 a", "address[] b", "string c", "bool d", struct("s", ["int8 x"])),
    event("E", `uint256 ${word}`, struct("s", [`uint256 ${word}`, "bool b", struct(word, ["int8 q"])])),
    fn(word, "view", ["uint256 x"], ["uint256"]),
    fn(
      "f",
      "nonpayable",
      [`uint8 ${word}`, "uint256[] y"],
      [`uint256 ${word}`, struct("t", [`uint256 ${word}`])],
    ),
    fn(`g${word}`, "payable", [`uint256 ${word}`], [`bool ${word}`]),
  ]);
}

function bindable(abi: Abi): BoundAbi {
  return bindAbi("Tok", makeBindable("Tok", abi).abi);
}

test("every word compiles wherever makeBindable allows it", async () => {
  const bindings = [...new Set(words)].map((word) => bindable(everywhere(word)));
  expect(await compileBindings(bindings)).toEqual([]);
});

const inner = struct("inner", ["bool x", "uint8[] y"]);
const nasty: readonly JsonEntry[] = [
  event("Transfer", "indexed address from", "indexed string note", "uint256"),
  event("Transfer", "bool a", "bool a", "bool a1"),
  event("Transfer1"),
  event("E", struct("a", [struct("bC", ["bool x"], "[]")], "[][]"), struct("aBC", ["bytes32[2] x"])),
  fn("f", "nonpayable", [struct("s", [inner])], [struct("s", [inner]), "uint24 a", "int128[][] A"]),
  fn("f", "view", ["uint16 result", "bytes4[] x"], ["string"]),
  fn("try_f", "view", [], ["bool"]),
  fn("g", "view", [], [struct("", ["address x"], "[]")]),
  fn("g", "payable", ["bool value0", "bool"], [struct("", ["bool x"], "[][]")]),
];

test("makeBindable removes all name clashes", async () => {
  expect(await compileBindings([bindable(abiOf(nasty))])).toEqual([]);
}, 60_000);

// Shows that the tests above can fail: makeBindable would have changed these names.
test("the compiler finds clashes that makeBindable would remove", async () => {
  const errors = await compileBindings([bindAbi("Tok", abiOf(nasty))]);
  expect(errors.length).toBeGreaterThan(4);
}, 60_000);
