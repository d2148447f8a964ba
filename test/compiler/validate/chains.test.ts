import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { dataSource, edited, findings, minimal } from "./harness.js";

describe("the name of a chain", () => {
  const onChain = (chain: unknown): Promise<readonly Diagnostic[]> =>
    findings(minimal({ instances: [{ ...dataSource, chain }] }));
  test.each<[unknown, string | undefined, string[]]>([
    ["ethereum-mainnet", 'write "mainnet"', ['"ethereum-mainnet" -> mainnet']],
    ["137", 'write "matic"', ['"137" -> matic']],
    [137, 'write "matic"', ['137 -> "matic"']],
    ["eip155:137", 'write "matic"', ['"eip155:137" -> "matic"']],
    ["Ethereum Mainnet", 'write "mainnet"', ['"Ethereum Mainnet" -> "mainnet"']],
    ["arbitum-one", 'write "arbitrum-one"', []],
    ["mantle", undefined, []],
    [31337, 'write "31337", in quotes', []],
  ])("is checked in a configuration: %j", async (chain, hint, fixes) => {
    const found = await onChain(chain);
    expect(found.map((one) => one.hint)).toEqual([hint]);
    expect(found.flatMap(({ fix = [] }) => fix.map(edited))).toEqual(fixes);
  });

  test("says that a network is not an EVM chain", async () => {
    const [found] = await onChain("solana-mainnet");
    expect([found?.label, found?.hint]).toEqual(["this network is not an EVM chain", undefined]);
  });
});
