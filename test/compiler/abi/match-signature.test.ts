import { expect, it } from "vitest";
import { manifestSignature, plainSignature } from "../../../src/compiler/abi/abi.js";
import { matchSignature } from "../../../src/compiler/abi/match-signature.js";
import { abiOf } from "./abi-of.js";
import { event, fn, struct } from "./entries.js";

const { events, functions } = abiOf([
  event("Transfer", "indexed address from", "indexed address to", "uint256 value"),
  event("Moved", "indexed address who", "uint256 value"),
  event("Moved", "indexed address who", "address whom"),
  event("Filled", struct("order", ["address maker", "uint256[2] amounts"]), "uint256 fee"),
  event("Bare"),
  event("Both", "address who"),
  fn("Both", "nonpayable", ["address who"]),
  fn("mint", "nonpayable", ["address to", "uint256 amount"]),
  fn("mint", "nonpayable", ["address to"]),
  event("event", "uint256 value"),
]);
const entries = [...events, ...functions];

/** What a signature refers to, in one line. */
function meaning(text: string): string {
  const match = matchSignature(text, entries);
  const show = (entry: (typeof entries)[number]) =>
    `${entry.kind} ${entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry)}`;
  switch (match.kind) {
    case "match":
      return `match: ${show(match.entry)}`;
    case "indexed-differs":
    case "ambiguous":
      return `${match.kind}: ${match.entries.map(show).join(" | ")}`;
    case "none":
      return `none: ${match.sameName.map(show).join(" | ")}`;
    case "unreadable":
      return "unreadable";
  }
}

const transfer = "match: event Transfer(indexed address,indexed address,uint256)";
const movedValue = "event Moved(indexed address,uint256)";
const movedWhom = "event Moved(indexed address,address)";
const filled = "match: event Filled((address,uint256[2]),uint256)";

it.each([
  ["Transfer", transfer],
  ["event Transfer", transfer],
  ["Transfer(address,address,uint256)", transfer],
  ["Transfer(address,address,uint)", transfer],
  [" Transfer ( address , address , uint256 ) ", transfer],
  ["Transfer(indexed address,indexed address,uint256)", transfer],
  ["event Transfer(address indexed a, address indexed b, uint256 c);", transfer],
  ["Filled", filled],
  ["Filled((address,uint256[2]),uint256)", filled],
  ["Filled(tuple(address maker, uint[2] amounts) order, uint fee)", filled],
  ["Bare", "match: event Bare()"],
  ["Bare()", "match: event Bare()"],
  ["event", "match: event event(uint256)"],
  ["event event", "match: event event(uint256)"],
  ["Moved(address,uint256)", `match: ${movedValue}`],
  ["Moved(indexed address,address)", `match: ${movedWhom}`],
  ["event Both", "match: event Both(address)"],
  ["function Both(address)", "match: function Both(address)"],
  ["mint(address)", "match: function mint(address)"],
  // Ambiguous.
  ["Moved", `ambiguous: ${movedValue} | ${movedWhom}`],
  ["mint", "ambiguous: function mint(address,uint256) | function mint(address)"],
  ["Both", "ambiguous: event Both(address) | function Both(address)"],
  ["Both(address)", "ambiguous: event Both(address) | function Both(address)"],
  // The signature marks the wrong parameters as indexed.
  ["Transfer(indexed address,address,uint256)", transfer.replace("match", "indexed-differs")],
  ["Transfer(indexed address,indexed address,indexed uint256)", transfer.replace("match", "indexed-differs")],
  ["Moved(address,indexed address)", `indexed-differs: ${movedWhom}`],
  ["mint(indexed address)", "indexed-differs: function mint(address)"],
  // Not in the ABI.
  ["transfer", "none: "],
  ["Transfer(address,address)", `none: ${transfer.slice("match: ".length)}`],
  ["Transfer(address,address,uint128)", `none: ${transfer.slice("match: ".length)}`],
  ["function Transfer", "none: "],
  ["Bare(uint256)", "none: event Bare()"],
  ["Filled((address,uint256[]),uint256)", `none: ${filled.slice("match: ".length)}`],
  ["__proto__", "none: "],
  ["constructor", "none: "],
  ["Transfer(", "unreadable"],
])("the signature %j finds its entry", (text, want) => {
  expect(meaning(text)).toBe(want);
});

it("matchSignature distinguishes two events that differ only in their indexed parameters", () => {
  const twins = abiOf([
    event("E", "indexed address a", "address b"),
    event("E", "address a", "indexed address b"),
  ]).events;
  expect(matchSignature("E(address,indexed address)", twins)).toEqual({ kind: "match", entry: twins[1] });
  expect(matchSignature("E(address,address)", twins)).toEqual({ kind: "ambiguous", entries: twins });
});
