import { describe, expect, it, test } from "vitest";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";

const head = `specVersion: 1.2.0
schema: { file: schema.graphql }
dataSources:
  - { name: A, mapping: { file: A.wasm, abis: [] } }
`;
const read = (more: string): unknown => parseManifest(head + more, "m.yaml").toData();

describe("a large manifest", () => {
  test.each([
    ["lists without an end", `context: ${"[".repeat(100_000)}\n`, "it is nested too deeply"],
    ["more characters than it may have", `# ${"x".repeat(4_000_000)}\n`, "at most 4,000,000"],
  ])("is refused with %s", (_, more, message) => {
    expect(() => read(more)).toThrow(message);
  });

  it("takes the same time per key for many keys in one map", () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `  k${index}: 1\n`).join("");
    const start = performance.now();
    parseManifest(`${head}context:\n${keys}`).root.at("context").entries();
    // A comparison of every key with every other would take a hundred times as long.
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it("is refused before it is parsed when it has too many parts", () => {
    expect(() => read(`context: [${"[],".repeat(400_000)}]\n`)).toThrow("more than 1,000,000 parts");
  });

  it("cannot exceed its size limit through aliases", () => {
    const list = `a: &a [${"1, ".repeat(30_000)}]\nb: &b [${"*a, ".repeat(40)}]\n`;
    expect(() => read(list)).toThrow("more than 1,000,000 values");
  });
});
