import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Interface } from "ethers";
import { expect, test } from "vitest";
import { build, createNodeHost } from "../../../src/exports/index.js";
import { asc } from "../../support/compiler/asc.js";
import { testFolder } from "../../support/folder.js";
import { judge, judgedBuild } from "../../support/judge/judge.js";

const abis: Readonly<Record<string, readonly string[]>> = {
  Overloads: [
    "event E(uint256 a)",
    "event E(address a)",
    "event E1(bool a)",
    "event E(string a)",
    "function e1()",
  ],
  Calls: ["event TransferCall(uint256)", "function transfer(address _to)", "event Transfer(address)"],
  Params: [
    "event Transfer(uint256 indexed a, tuple(uint8 _b, bytes32[] c)[] d)",
    "event Transfer__Params(bool a)",
  ],
  Words: [
    "event Entity(address indexed _who, string topic0)",
    "event void(uint8[][] a)",
    "event BigInt(int8)",
  ],
  Facet: ["event Shared(address indexed _player, uint256 amount)", "event Cut()"],
  OtherFacet: ["event Shared(address indexed player, uint256 amount)"],
  Namesake: ["event Shared(uint256 amount)"],
};
const comptroller = readFileSync(
  new URL("../../support/corpus/made/comptroller.json", import.meta.url),
  "utf8",
);

test("graph-cli accepts events with stand-in names, and writes the same bindings", async () => {
  const names = [...Object.keys(abis), "Comptroller"];
  const config = {
    version: "1",
    name: "names",
    enableCallHandlers: true,
    abis: { ...Object.fromEntries(Object.entries(abis).map(inline)), Comptroller: comptroller },
    instances: names.map((abi, at) => ({
      abi,
      address: `0x${String(at + 1).padStart(40, "0")}`,
      startBlock: 1,
      chain: "mainnet",
    })),
  };
  const input = testFolder(new Map([["subgraph.json", JSON.stringify(config)]]));
  const { ok, files, diagnostics } = await build(
    join(input, "subgraph.json"),
    createNodeHost({ cwd: input }),
    { asc, optimize: judgedBuild },
  );
  expect(diagnostics.filter(({ severity }) => severity !== "note")).toEqual([]);
  expect(ok).toBe(true);

  const verdict = await judge(testFolder(files), { build: judgedBuild });
  expect(verdict.ok, verdict.output).toBe(true);
  const text = (path: string): string => String(files.get(path));
  expect(verdict.generated.size).toBeGreaterThan(0);
  for (const [path, generated] of verdict.generated) expect(text(path), path).toBe(generated);
  const wasm = [files, verdict.build].map((all) => [...all].find(([path]) => path.endsWith(".wasm"))?.[1]);
  const [ours, theirs] = wasm as Uint8Array[];
  expect(Buffer.compare(ours as Uint8Array, theirs as Uint8Array)).toBe(0);
  expect(text("subgraph.yaml").match(/ topic0: "0x[0-9a-f]{64}"$/gm)).toHaveLength(6);
});

function inline([name, abi]: readonly [string, readonly string[]]) {
  return [name, new Interface(abi).formatJson()];
}
