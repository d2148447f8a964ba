import { describe, expect, it } from "vitest";
import { addContract } from "../../src/discovery/add-contract.js";
import type { DraftContract } from "../../src/discovery/draft-config.js";

const address = `0x${"12".repeat(20)}`;
const pool: DraftContract = {
  abi: "Pool",
  abiPath: "./Pool.json",
  address,
  chain: "base",
  startBlock: 5,
  reads: [],
};
const added = (path: string, text: string, contract = pool): string | undefined =>
  addContract({ path, text }, contract);

describe("a contract that is added to a configuration", () => {
  it("goes behind the others, with its ABI, and keeps comments and layout", () => {
    const before = `{
  // of ours
  "abis": {
    "Token": { "path": "./Token.json" } // one
  },
  "instances": [
    { "abi": "Token" }, // two
  ]
}
`;
    expect(added("c.json", before)).toBe(`{
  // of ours
  "abis": {
    "Token": { "path": "./Token.json" },
    "Pool": {"path":"./Pool.json"} // one
  },
  "instances": [
    { "abi": "Token" },
    {
      "abi": "Pool",
      "address": "${address}",
      "startBlock": 5,
      "chain": "base"
    }, // two
  ]
}
`);
  });

  it("is on one line if the others are, with the line breaks of the file", () => {
    const inLine = '{"instances":[{"abi":"Token"}],"abis":{"Token":{"path":"./Pool.json"}}}';
    expect(JSON.parse(added("c.json", inLine) ?? "")).toEqual({
      instances: [{ abi: "Token" }, { abi: "Token", address, startBlock: 5, chain: "base" }],
      abis: { Token: { path: "./Pool.json" } },
    });
    expect(added("c.json", inLine)).not.toContain("\n");
    const windows = '{\r\n\t"abis": { "pool": [] },\r\n\t"instances": [\r\n\t\t{}\r\n\t]\r\n}';
    const text = added("c.json", windows) ?? "";
    expect(JSON.parse(text)).toMatchObject({ abis: { pool: [], Pool2: { path: "./Pool.json" } } });
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it.each([
    ["c.yaml", "abis:\n  Token: []\ninstances:\n  - abi: Token\n"],
    ["c.json", '{ "abis": {}, "instances": [{}] }'],
    ["c.json", '{ "abis": { "Token": [] }, "instances": [] }'],
    ["c.json", '{ "abis": ['],
    ["c.json", "[]"],
  ])("is refused in %s %j", (path, text) => {
    expect(added(path, text)).toBeUndefined();
  });
});
