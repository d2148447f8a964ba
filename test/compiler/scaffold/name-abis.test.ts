import { describe, expect, test } from "vitest";
import { nameAbis } from "../../../src/compiler/scaffold/name-abis.js";

/** For each contract, the file of its ABI, and after a blank the name that it was given. */
function names(...contracts: readonly string[]): unknown {
  const named = nameAbis(
    contracts.map((text) => {
      const [abiPath = "", name] = text.split(" as ");
      return { abiPath, name, address: "0x1", network: "mainnet", startBlock: undefined };
    }),
  );
  return named.kind === "named"
    ? named.abis.map(({ name, fileStem, contracts: own }) => [name, fileStem, ...own].join(" "))
    : named.message;
}

describe("the name of an ABI", () => {
  test.each<[string, string]>([
    ["Token.json", "Token Token 0"],
    ["out/Pool.sol/UniswapV3Pool.json", "UniswapV3Pool UniswapV3Pool 0"],
    ["my_erc-20.abi.json", "MyErc20 MyErc20 0"],
    ["C:\\abis\\vault.abi", "Vault Vault 0"],
    ["Pool.v2", "PoolV2 PoolV2 0"],
    ["0x12.json", "Contract0x12 Contract0x12 0"],
    ["---.json", "Contract Contract 0"],
    [".json", "Contract Contract 0"],
    ["été.json", "T T 0"],
    ["con.json", "ConAbi ConAbi 0"],
    [`${"a".repeat(300)}.json`, `A${"a".repeat(79)} A${"a".repeat(79)} 0`],
    ["Token.json as my token", "my token MyToken 0"],
    ["Token.json as ../../x", "../../x X 0"],
    ["Token.json as nul", "nul NulAbi 0"],
  ])("comes from its file or contract: %s", (contract, want) => {
    expect(names(contract)).toEqual([want]);
  });
});

describe("several contracts", () => {
  test.each<[string, readonly string[], unknown]>([
    ["of one file share an ABI", ["a.json", "b.json", "a.json"], ["A A 0 2", "B B 1"]],
    [
      "of files with one name get numbers",
      ["x/a.json", "y/A.json", "z/a.abi"],
      ["A A 0", "A2 A2 1", "A3 A3 2"],
    ],
    ["of one file may be named apart", ["a.json as x", "a.json as y"], ["x X 0", "y Y 1"]],
    ["of one file and name share an ABI", ["a.json as x", "a.json as x"], ["x X 0 1"]],
    ["may have names that differ only in case", ["a.json as x", "b.json as X"], ["x X 0", "X X2 1"]],
    [
      "of two files cannot have one name",
      ["a.json as x", "b.json as x"],
      '--contract-name: "x" would name two ABIs, "a.json" and "b.json"; give each contract its own name.',
    ],
  ])("%s", (_, contracts, want) => {
    expect(names(...contracts)).toEqual(want);
  });
});
