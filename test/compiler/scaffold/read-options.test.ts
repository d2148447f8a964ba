import { describe, expect, test } from "vitest";
import { type ConfigOptions, readOptions } from "../../../src/compiler/scaffold/read-options.js";

const required = { abi: "a.json", contract: "0x1", network: "mainnet", callHandlers: false };

function contracts(options: Partial<ConfigOptions>): unknown {
  const read = readOptions({ ...required, ...options });
  return read.kind === "read" ? read.contracts : read.message;
}

const one = { abiPath: "a.json", address: "0x1", network: "mainnet", startBlock: undefined, name: undefined };

describe("option lists", () => {
  test.each<[string, Partial<ConfigOptions>, unknown]>([
    ["of one entry", {}, [one]],
    [
      "of one entry apply to all contracts",
      { contract: "0x1,0x2", startBlock: "7", contractName: "A" },
      [
        { ...one, startBlock: "7", name: "A" },
        { ...one, address: "0x2", startBlock: "7", name: "A" },
      ],
    ],
    [
      "of one entry per contract apply in order",
      {
        contract: "0x1,0x2",
        abi: "a.json,b.json",
        network: "mainnet,matic",
        startBlock: "1,2",
        contractName: "A,B",
      },
      [
        { ...one, startBlock: "1", name: "A" },
        { abiPath: "b.json", address: "0x2", network: "matic", startBlock: "2", name: "B" },
      ],
    ],
    [
      "too short",
      { contract: "1,2,3", network: "a,b" },
      "--network: it has 2 entries, but --contract has 3; give one, or one for each contract.",
    ],
    [
      "too long",
      { startBlock: "1,2" },
      "--start-block: it has 2 entries, but --contract has 1; give one, or one for each contract.",
    ],
    [
      "too many ABIs",
      { abi: "a,b" },
      "--abi: it has 2 entries, but --contract has 1; give one, or one for each contract.",
    ],
    [
      "too many names",
      { contractName: "a,b,c", contract: "1,2" },
      "--contract-name: it has 3 entries, but --contract has 2; give one, or one for each contract.",
    ],
    [
      "with a hole",
      { contract: "1,,2" },
      "--contract: an entry is empty; separate entries with a single comma.",
    ],
    [
      "that are empty",
      { contractEvents: "" },
      "--contract-events: an entry is empty; separate entries with a single comma.",
    ],
  ])("are read or refused: %s", (_, options, want) => {
    expect(contracts(options)).toEqual(want);
  });

  test("of events and calls may have any number of entries", () => {
    const read = readOptions({ ...required, contractEvents: "A,B(a,b)", contractCalls: "f" });
    expect(
      read.kind === "read" && [read.lists.get("contract-events"), read.lists.get("contract-calls")],
    ).toEqual([["A", "B(a,b)"], ["f"]]);
  });
});
