import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { proposeReads } from "../../src/discovery/propose-reads.js";
import { readAbi } from "../../src/discovery/read-abi.js";
import { event, fn } from "../compiler/abi/entries.js";

function proposed(entries: readonly object[] | string): readonly string[] {
  const read = readAbi("abi.json", typeof entries === "string" ? entries : JSON.stringify(entries));
  if (read.kind !== "abi") throw new Error(read.why);
  return proposeReads(read.abi).map(({ id, parameter, type }) => `${id}(${parameter}) ${type}`);
}

const transfer = event("Transfer", "address from", "address to", "uint256 tokenId");

/** A function whose parameters are written with commas between them. */
function written(name: string, mutability: string, inputs: string, outputs: string): object {
  const [given, made] = [inputs, outputs].map((text) => text.split(/, ?/).filter(Boolean));
  return fn(name, mutability, given, made);
}

/** A view function. */
function view(name: string, inputs: string, outputs: string): object {
  return written(name, "view", inputs, outputs);
}

it("proposeReads proposes functions of the event's address or id, and the receiver's balance", () => {
  const entries = [
    transfer,
    view("balanceOf", "address account", "uint256"),
    view("tokenURI", "uint256 _tokenId", "string"),
    view("totalSupply", "", "uint256"),
  ];
  expect(proposed(entries)).toEqual(["Transfer.balanceOf(to) uint256", "Transfer.tokenURI(tokenId) string"]);
});

it.each([
  [
    "a function that changes something",
    [transfer, written("touch", "nonpayable", "uint256 tokenId", "uint256")],
  ],
  ["a different type", [transfer, view("ownerOf", "uint128 tokenId", "uint256")]],
  ["several outputs", [transfer, view("info", "uint256 tokenId", "uint256,uint256")]],
  ["several inputs", [transfer, view("allowance", "address from, address to", "uint256")]],
  ["an output that is not a plain value", [transfer, view("ownersOf", "uint256 tokenId", "address[]")]],
  ["an input without a name", [transfer, view("scores", "uint256", "uint256")]],
  ["a field that the event has", [transfer, view("from", "uint256 tokenId", "uint256")]],
  ["an overload", [transfer, view("f", "uint256 tokenId", "uint256"), view("f", "address to", "uint256")]],
  [
    "an event that shares its name",
    [transfer, event("Transfer", "uint256 tokenId"), view("f", "uint256 tokenId", "bool")],
  ],
  [
    "an event whose entity is renamed",
    [event("Value", "uint256 tokenId"), view("f", "uint256 tokenId", "bool")],
  ],
] as const)("proposeReads returns an empty list for %s", (_, entries) => {
  expect(proposed([...entries])).toEqual([]);
});

it("proposeReads proposes the obvious reads for a real contract", () => {
  const abi = readFileSync(new URL("../../examples/nouns/abis/NounsToken.json", import.meta.url), "utf8");
  const all = proposed(abi);
  expect(all).toContain("Transfer.balanceOf(to) uint256");
  expect(all).toContain("NounCreated.tokenURI(tokenId) string");
});
