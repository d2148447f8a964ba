import { describe, expect, it } from "vitest";
import { nameClasses } from "../../../src/compiler/names/abi-names.js";

const free = (name: string) => ({ name, avoid: new Set<string>() });
const named = (...names: string[]) => [...nameClasses(names.map(free)).values()];

describe("the name of one ABI", () => {
  it.each([
    ["ERC20", "ERC20", "erc20"],
    ["UniswapV3Pool", "UniswapV3Pool", "uniswap-v3-pool"],
    ["my erc-20", "MyErc20", "my-erc20"],
    ["NFTMinter", "NFTMinter", "nft-minter"],
    ["1inch", "Abi1inch", "abi1inch"],
    ["0x", "Abi0x", "abi0x"],
    ["__proto__", "Proto", "proto"],
    ["con", "ConAbi", "con-abi"],
    ["COM1", "COM1Abi", "com1-abi"],
    ["nul", "NulAbi", "nul-abi"],
    ["mapping", "MappingAbi", "mapping-abi"],
    ["templates", "TemplatesAbi", "templates-abi"],
    ["schema", "Schema", "schema"],
    ["Entity", "EntityAbi", "entity-abi"],
    ["Address", "AddressAbi", "address-abi"],
    ["big int", "BigIntAbi", "big-int-abi"],
    ["ethereum", "EthereumAbi", "ethereum-abi"],
    ["a_b", "AB", "ab"],
    ["constructor", "Constructor", "constructor"],
  ])("%s gives the class %s and the file %s.ts", (name, className, fileStem) => {
    expect(named(name)).toEqual([{ className, fileStem }]);
  });

  it("is cut to a length that file systems accept", () => {
    expect(named("x".repeat(100))[0]?.className).toHaveLength(80);
  });

  it("does not clash with the ABI's events", () => {
    const names = nameClasses([{ name: "Transfer", avoid: new Set(["Transfer", "TransferAbi"]) }]);
    expect(names.get("Transfer")?.className).toBe("TransferAbi2");
  });
});

describe("the names of several ABIs", () => {
  it.each([
    [["a b", "a-b", "AB"], { AB: "AB", "a b": "ABAbi", "a-b": "ABAbi2" }],
    [["erc20", "ERC20"], { ERC20: "ERC20", erc20: "Erc20Abi" }],
    [
      ["__proto__", "proto", "constructor"],
      { ["__proto__"]: "Proto", proto: "ProtoAbi", constructor: "Constructor" },
    ],
  ])("stay distinct: %j", (names, want) => {
    for (const order of [names, names.toReversed()]) {
      const got = nameClasses(order.map(free));
      for (const name of names)
        expect(got.get(name)?.className).toBe(Object.entries(want).find(([key]) => key === name)?.[1]);
    }
  });

  it("never give two ABIs the same file, even if they differ only in case", () => {
    const files = named("AbC", "aBc", "a bc", "ab c", "ABC").map(({ fileStem }) => fileStem);
    expect(new Set(files).size).toBe(5);
  });
});
