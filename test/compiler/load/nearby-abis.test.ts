import { describe, expect, test } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { load } from "../../../src/compiler/load/load.js";
import { memoryHost } from "../../support/compiler/memory-host.js";

const plain = "paths are relative to the folder of the configuration file";

/** The finding about a missing ABI file, when these other files exist. */
async function missing(path: string, others: readonly string[], config = "c.json"): Promise<Diagnostic> {
  const text = JSON.stringify({ abis: { a: { path } } });
  const files = Object.fromEntries(others.map((other) => [other, "[]"]));
  const report = new Report();
  await load(config, memoryHost({ ...files, [config]: text }), report);
  const [found, second] = report.diagnostics;
  if (found?.code !== "abi-missing" || second) throw new Error("another finding was expected");
  return found;
}

const fixOf = ({ fix }: Diagnostic): string | undefined =>
  fix?.map((edit) => (edit.kind === "part" ? edit.text : "")).join();

describe("suggests the only file of that name, with a fix,", () => {
  test.each([
    ["./abi/Token.json", "abis/Token.json", "./abis/Token.json"],
    ["Token.json", "abis/Token.json", "./abis/Token.json"],
    ["./abis/Token", "abis/Token.json", "./abis/Token.json"],
    ["./abis/token.json", "abis/Token.json", "./abis/Token.json"],
    ["abis\\Token.json", "abis/Token.json", "./abis/Token.json"],
    [
      "./Token.json",
      "artifacts/contracts/Token.sol/Token.json",
      "./artifacts/contracts/Token.sol/Token.json",
    ],
    ["./Token.json", "out/Token.sol/Token.json", "./out/Token.sol/Token.json"],
    ["./abis/Token.json", "Token.json", "./Token.json"],
    ["./own/Tokens.json", "own/Token.json", "./own/Token.json"],
  ])("for %s when %s exists", async (written, other, want) => {
    const found = await missing(written, [other]);
    expect([found.hint, fixOf(found)]).toEqual([`write "${want}"`, want]);
  });

  test("beside the configuration's folder", async () => {
    const found = await missing("./abis/Token.json", ["out/Token.sol/Token.json"], "subgraph/c.json");
    expect(fixOf(found)).toBe("../out/Token.sol/Token.json");
  });
});

describe("offers no fix", () => {
  test("when several files have the name", async () => {
    const found = await missing("./Token.json", ["abis/Token.json", "out/Token.sol/Token.json"]);
    expect([found.hint, found.notes, found.fix]).toEqual([
      'write "./abis/Token.json"',
      ["nearby JSON files: ./abis/Token.json, ./out/Token.sol/Token.json"],
      undefined,
    ]);
  });

  test("when names are only similar", async () => {
    const found = await missing("./Tokens.json", ["abis/Token.json", "abis/Toke.json"]);
    expect([found.hint, found.fix]).toEqual(['write "./abis/Token.json"', undefined]);
  });

  test("when no name is similar, but lists all files", async () => {
    const found = await missing("./abis/Token.json", ["abis/A.json", "abis/B.json"]);
    expect([found.hint, found.notes, found.fix]).toEqual([
      plain,
      ["nearby JSON files: ./abis/A.json, ./abis/B.json"],
      undefined,
    ]);
  });

  test("for files that are not ABIs", async () => {
    const found = await missing("./Token.json", [
      "package.json",
      "artifacts/build-info/Token.json",
      "artifacts/contracts/Token.sol/Token.dbg.json",
      "abis/Token.sol",
    ]);
    expect([found.hint, found.notes]).toEqual([plain, []]);
  });
});

describe("suggests building a contract that is not built yet:", () => {
  test.each([
    ["./out/Token.sol/Token.json", "foundry.toml", "c.json", "forge build"],
    ["../out/Token.sol/Token.json", "foundry.toml", "subgraph/c.json", "forge build"],
    ["./artifacts/contracts/Token.sol/Token.json", "hardhat.config.ts", "c.json", "npx hardhat compile"],
    ["./build/contracts/Token.json", "truffle-config.js", "c.json", "npx truffle compile"],
  ])("%s beside %s", async (written, tool, config, command) => {
    const found = await missing(written, [tool], config);
    expect(found.hint).toBe(`run "${command}" first`);
    expect(found.notes.join()).toMatch(`${tool} exists but the folder`);
  });

  test("suggests nothing when the contract was already built", async () => {
    const found = await missing("./out/Tokn.sol/Tokn.json", ["foundry.toml", "out/Token.sol/Token.json"]);
    expect(found.hint).toBe('write "./out/Token.sol/Token.json"');
  });
});

test("the loader looks for alternatives only to the first of very many missing files", async () => {
  const abis = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`a${index}`, { path: "Token.json" }]),
  );
  const report = new Report();
  const files = { "c.json": JSON.stringify({ abis }), "abis/Token.json": "[]" };
  await load("c.json", memoryHost(files), report);
  expect(report.diagnostics.filter(({ fix }) => fix)).toHaveLength(20);
});
