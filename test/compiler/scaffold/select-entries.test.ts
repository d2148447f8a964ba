import { describe, expect, test } from "vitest";
import { type EntrySelection, selectEntries } from "../../../src/compiler/scaffold/select-entries.js";
import { abiOf, type JsonEntry } from "../abi/abi-of.js";
import { event, fn } from "../abi/entries.js";

const token: readonly JsonEntry[] = [
  event("Transfer", "indexed address from", "address to", "uint256 value"),
  event("Approval", "address owner"),
  event("Batch", "uint256[] ids"),
  event("Batch", "uint256 id"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("mint", "nonpayable", ["uint256 value"]),
  fn("burn", "nonpayable"),
  fn("deposit", "payable"),
  fn("Approval", "nonpayable"),
];
const vault: readonly JsonEntry[] = [
  event("Deposit", "uint256 value"),
  event("Approval", "bytes what"),
  fn("burn", "payable"),
];

/** The entries left out of each ABI, by name, or the reason why the selection is refused. */
function leftOut(selection: Partial<EntrySelection>, ...abis: readonly (readonly JsonEntry[])[]): unknown {
  const given = abis.length > 0 ? abis : [token];
  const found = selectEntries(given.map(abiOf), { events: undefined, calls: undefined, ...selection });
  if (found.kind === "usage") return found.message;
  return found.entries.map((own, index) =>
    [...own].toSorted((a, b) => a - b).map((entry) => `${entry} ${given[index]?.[entry]?.name}`),
  );
}

const functions = ["5 mint", "6 burn", "7 deposit", "8 Approval"];

describe("selected events", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["by name", ["Transfer"], ["1 Approval", "2 Batch", "3 Batch"]],
    ["several", ["Approval", "Transfer"], ["2 Batch", "3 Batch"]],
    ["by signature", ["Batch(uint256)"], ["0 Transfer", "1 Approval", "2 Batch"]],
    ["all of one name", ["Batch"], ["0 Transfer", "1 Approval"]],
    [
      "in Solidity",
      ["event Transfer(address indexed from, address to, uint value);"],
      ["1 Approval", "2 Batch", "3 Batch"],
    ],
    ["twice", ["Transfer", "Transfer(address,address,uint256)"], ["1 Approval", "2 Batch", "3 Batch"]],
  ])("are kept %s", (_, events, want) => {
    expect(leftOut({ events })).toEqual([want]);
  });

  test("are all events when none is named", () => {
    expect(leftOut({})).toEqual([[]]);
  });

  test.each<[string, string, string]>([
    ["similar to a real one", "Transfr", 'no ABI has the event "Transfr"; write "Transfer".'],
    [
      "of other parameters",
      "Batch(bool)",
      'no ABI has the event "Batch(bool)"; write "Batch(uint256[])" or "Batch(uint256)".',
    ],
    [
      "similar to no other",
      "Zzzzzzzz",
      'no ABI has the event "Zzzzzzzz"; available: Transfer, Approval, Batch.',
    ],
    ["of a function", "mint", 'no ABI has the event "mint"; available: Transfer, Approval, Batch.'],
    [
      "said to be a function",
      "function Approval(address)",
      'no ABI has the event "function Approval(address)"; available: Transfer, Approval, Batch.',
    ],
    [
      "with something else indexed",
      "Transfer(address,indexed address,uint256)",
      '"Transfer(address,indexed address,uint256)" has "indexed" in the wrong places; write "Transfer(indexed address,address,uint256)".',
    ],
    ["that breaks off", "Transfer(", '"Transfer(" is not a name or signature: expected a type at its end.'],
    ["that is invalid", "Transfer!", '"Transfer!" is not a name or signature: expected "(" at "!".'],
  ])("are refused when a name is %s", (_, name, message) => {
    expect(leftOut({ events: ["Transfer", name] })).toBe(`--contract-events: ${message}`);
  });

  test("are refused when the ABI has none", () => {
    expect(leftOut({ events: ["Transfer"] }, [fn("burn", "payable")])).toBe(
      '--contract-events: no ABI has the event "Transfer"; none has one.',
    );
  });

  test("are refused without listing every event of a long ABI", () => {
    const many = Array.from({ length: 12 }, (_, index) => event(`Happened${index}`));
    expect(leftOut({ events: ["Q"] }, many)).toMatch(/; available: Happened0, .*, Happened7 and 4 more\.$/);
  });
});

describe("selected calls", () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ["by name", ["mint"], ["6 burn", "7 deposit", "8 Approval"]],
    ["by signature", ["deposit()", "mint(uint256)"], ["6 burn", "8 Approval"]],
    ["of an event's name", ["Approval"], ["5 mint", "6 burn", "7 deposit"]],
  ])("leave out only state-changing functions: %s", (_, calls, want) => {
    expect(leftOut({ calls })).toEqual([want]);
  });

  test("are refused when the function only reads", () => {
    expect(leftOut({ calls: ["balanceOf"] })).toBe(
      '--contract-calls: "balanceOf" is a view function, and calls to it leave no trace; available: mint, burn, deposit, Approval.',
    );
  });

  test("are refused when no function has the name", () => {
    expect(leftOut({ calls: ["mnt"] })).toBe(
      '--contract-calls: no ABI has the state-changing function "mnt"; write "mint".',
    );
  });

  test("can be combined with events", () => {
    expect(leftOut({ events: ["Approval"], calls: ["burn"] })).toEqual([
      ["0 Transfer", "2 Batch", "3 Batch", "5 mint", "7 deposit", "8 Approval"],
    ]);
  });
});

describe("a selection from several ABIs", () => {
  test("keeps from each ABI the entries that it has", () => {
    expect(leftOut({ events: ["Approval", "Deposit"], calls: ["burn"] }, token, vault)).toEqual([
      ["0 Transfer", "2 Batch", "3 Batch", "5 mint", "7 deposit", "8 Approval"],
      [],
    ]);
    expect(leftOut({ events: ["Approval(bytes)"], calls: ["mint"] }, token, vault)).toEqual([
      ["0 Transfer", "1 Approval", "2 Batch", "3 Batch", ...functions.slice(1)],
      ["0 Deposit", "2 burn"],
    ]);
  });

  test("searches all ABIs for similar names", () => {
    expect(leftOut({ events: ["Deposits"] }, token, vault)).toBe(
      '--contract-events: no ABI has the event "Deposits"; write "Deposit".',
    );
  });
});
