import { describe, expect, test } from "vitest";
import { check, dataSource, transfer } from "./harness.js";

const command = (file: string): string =>
  `create a configuration from this ABI: graphloom subgraph init <name> --abi ${file} --contract <address> --network <chain>`;

describe("a list instead of a configuration", () => {
  test.each<[string, unknown, string, string | undefined]>([
    [
      "an ABI",
      [{ type: "error", name: "No", inputs: [] }, transfer],
      "abis/Token.json",
      command("abis/Token.json"),
    ],
    ["an ABI of functions", [{ type: "function", name: "f" }], "a.json", command("a.json")],
    ["an ABI whose path a shell would read otherwise", [transfer], "my token.json", command("<file>")],
    ["a list of instances", [dataSource], "a.json", undefined],
    ["a list of other things with a type", [{ type: "string" }], "a.json", undefined],
    ["an empty list", [], "a.json", undefined],
    ["texts", ["event"], "a.json", undefined],
  ])("is recognised as an ABI or not: %s", async (_, config, path, hint) => {
    const { found, hints } = await check(config, path);
    expect(found).toEqual([
      expect.stringContaining("wrong-type: the configuration must be an object, not a"),
    ]);
    expect(hints).toEqual([hint]);
  });

  test("takes only a whole document for an ABI", async () => {
    const { hints } = await check({ version: "1", abis: { a: [transfer] }, instances: [[transfer]] });
    expect(hints).toEqual([undefined]);
  });
});
