import { expect, test } from "vitest";
import { address, check, minimal } from "./harness.js";

const manifest = {
  specVersion: "1.0.0",
  schema: { file: "./schema.graphql" },
  dataSources: [
    {
      kind: "ethereum",
      name: "Token",
      network: "mainnet",
      source: { address, abi: "ERC20", startBlock: 7 },
      mapping: {
        abis: [
          { name: "Other", file: "./x.json" },
          { name: "ERC20", file: "./abis/ERC20.json" },
        ],
      },
    },
  ],
};

test.each<[string, unknown, string]>([
  [
    "a whole one",
    manifest,
    `--abi ./abis/ERC20.json --contract ${address} --network mainnet --start-block 7`,
  ],
  [
    "one without contracts",
    { ...manifest, dataSources: [] },
    "--abi <file> --contract <address> --network <chain> --start-block <block>",
  ],
  [
    "one with shell syntax",
    { ...manifest, dataSources: [{ network: "$(x)", source: { address: "; ls", abi: "A" }, mapping: [] }] },
    "--abi <file> --contract <address> --network <chain> --start-block <block>",
  ],
])("validation recognises a manifest and reports it once: %s", async (_name, config, options) => {
  const { found, hints, notes } = await check(config);
  expect(found).toEqual([
    '"specVersion" manifest-given: this is the manifest of a subgraph, not a configuration',
  ]);
  expect(notes[0]).toContain(
    `to make a configuration for its first contract: graphloom subgraph init <name> ${options}`,
  );
  expect(hints[0]).toMatch(/^run it as it is: graphloom dev \S+ --rpc \S+=<url>$/);
});

test("validation reads a configuration with one manifest setting as a configuration", async () => {
  const { found } = await check(minimal({ specVersion: "1.0.0", dataSources: [] }));
  expect(found.map((line) => line.split(" ")[1])).toEqual(["unknown-key:", "unknown-key:"]);
});
