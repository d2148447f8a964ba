import { describe, expect, it, test } from "vitest";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";

const head = `specVersion: 1.2.0
schema: { file: schema.graphql }
dataSources:
  - { name: A, mapping: { file: A.wasm, abis: [] } }
`;
const read = (more: string): unknown => parseManifest(head + more, "m.yaml").toData();

describe("a manifest", () => {
  test.each<[string, string, string]>([
    ["an alias of what it stands in", "context: &a { b: *a }\n", "its aliases contain themselves"],
    ["such an alias far below", "context: &a { b: [1, { c: [*a] }] }\n", "its aliases contain themselves"],
    ["an alias of nothing", "context: *a\n", "Unresolved alias"],
    ["a binary value", "context: !!binary aGVsbG8=\n", "it uses the tag !!binary, which is not allowed"],
    ["a time", "context: !!timestamp 2001-12-14\n", "it uses the tag !!timestamp"],
    ["a set", "context: !!set { a, b }\n", "it uses the tag !!set"],
    ["an ordered map", "context: !!omap [ a: 1 ]\n", "it uses the tag !!omap"],
    ["a tag in full", "context: !<tag:yaml.org,2002:binary> aGVsbG8=\n", "it uses the tag"],
    ["a tag of its own", "context: !own\u001b[2J 1\n", "it uses the tag !own"],
    [
      "800 maps in each other",
      `context: ${"{ a: ".repeat(800)}1${" }".repeat(800)}\n`,
      "it is nested too deeply",
    ],
    [
      "800 maps in each other, a line each",
      `context:\n${Array.from({ length: 800 }, (_, depth) => `${" ".repeat(depth + 1)}a:\n`).join("")}`,
      "it is nested too deeply",
    ],
    ["800 lists in each other", `context:\n  ${"- ".repeat(800)}1\n`, "it is nested too deeply"],
    ["keys given twice", "context: { a: 1, b: 2, a: 3 }\n", 'the key "a" is repeated in a map at line 5'],
  ])("is refused with %s", (_, more, message) => {
    expect(() => read(more)).toThrow(BundleError);
    expect(() => read(more)).toThrow(`"m.yaml"`);
    expect(() => read(more)).toThrow(message);
  });

  it("may have aliases, tags of plain values, and the names of tags in strings", () => {
    const more = "a: &x { k: [1] }\nb: *x\nc: !!str 5\nd: '!!binary'\ne: a !!binary *x\n";
    expect(read(more)).toMatchObject({
      a: { k: [1] },
      b: { k: [1] },
      c: "5",
      d: "!!binary",
      e: "a !!binary *x",
    });
  });

  it("has the values behind aliases, at the place of the alias", () => {
    const text = "a: &x [1, { k: &y text }]\nb: *x\nc: *y\nd: &y [2]\ne: *y\n";
    const { root } = parseManifest(text);
    expect(root.at("b").items()[1]?.at("k").text()).toBe("text");
    expect(root.at("c").text()).toBe("text");
    expect(root.at("e").items()[0]?.integer()).toBe(2);
    expect(() => root.at("b").text()).toThrow("b must be a string (line 2)");
  });

  it("is refused before an endless alias can be read", () => {
    expect(() => parseManifest("a: &x { b: *x }\n")).toThrow("its aliases contain themselves");
  });

  it("may be as deep as any real manifest", () => {
    expect(read(`context: ${"[".repeat(60)}1${"]".repeat(60)}\n`)).toHaveProperty("context");
  });
});
