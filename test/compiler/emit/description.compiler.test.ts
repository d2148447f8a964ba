import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { build } from "../../../src/machine/compiler/compile.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event } from "../abi/entries.js";

const text = JSON.stringify({
  version: "1",
  abis: { Token: [event("Transfer", "address from", "uint256 value")] },
  instances: ["mainnet", "matic"].map((chain) => ({
    abi: "Token",
    address: `0x${"0".repeat(38)}a1`,
    startBlock: 1,
    chain,
  })),
});

/** Every manifest by path: that of the project and those of the build. */
async function manifests(description?: string): Promise<readonly (readonly [string, string])[]> {
  const { files } = await build("c.json", memoryHost({ "c.json": text }), { asc, description });
  return [...files].flatMap(([path, content]) =>
    path.endsWith(".yaml") ? [[path, String(content)] as const] : [],
  );
}

describe("a description", () => {
  it.each([
    ["in plain words", "Transfers of the token"],
    ["that looks like YAML", "fees: {{all}} # of \"them\" - 'yes'"],
    ["of several lines", "one\ntwo: 2\n---\n"],
    ["with characters YAML escapes", "a\u0000b\u0085c\u2028d\ufeffe\u{1f600}\ttab\\"],
  ])("%s appears in every manifest, and nothing else changes", async (_, description) => {
    const described = await manifests(description);
    const plain = new Map(await manifests());
    expect(described.map(([path]) => path).sort()).toEqual([
      "build/mainnet/subgraph.yaml",
      "build/matic/subgraph.yaml",
      "subgraph.mainnet.yaml",
      "subgraph.matic.yaml",
    ]);
    for (const [path, manifest] of described) {
      const { description: found, ...rest } = parse(manifest);
      expect(found).toBe(description);
      expect(rest).toEqual(parse(plain.get(path) ?? ""));
    }
  });

  it("is omitted from the manifest when it is absent or empty", async () => {
    for (const [, manifest] of [...(await manifests()), ...(await manifests(""))]) {
      expect(manifest).not.toContain("description");
    }
  });

  it("does not prevent a built subgraph from being read", async () => {
    const { files } = await build("c.json", memoryHost({ "c.json": text }), { asc, description: "x: y" });
    expect(readRunnable({ manifest: "build/mainnet/subgraph.yaml", files }).network).toBe("mainnet");
  });
});
