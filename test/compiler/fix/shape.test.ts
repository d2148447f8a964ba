import { describe, expect, test } from "vitest";
import type { Edit } from "../../../src/compiler/diagnostics/diagnostic.js";
import { rewrite } from "../../../src/compiler/diagnostics/diagnostic.js";
import { dig } from "../parse/harness.js";
import { digKey, fixing } from "./harness.js";

/** The text after one edit of the value at "a". */
function changed(path: string, text: string, edit: object): string {
  return fixing(path, text, (tree) => [[{ ...edit, at: dig(tree, "a").at } as Edit]]).text;
}

describe("puts a text into an object", () => {
  test.each<[string, string, string]>([
    ["c.json", '{ "a": "x" }', '{ "a": { "path": "x" } }'],
    ["c.json", '{"a":"./\\u0061.json","b":1}', '{"a":{ "path": "./\\u0061.json" },"b":1}'],
    ["c.json5", "{ a: 'x', }", "{ a: { 'path': 'x' }, }"],
    ["c.yaml", "a: x # of a\nb: 1\n", 'a: { path: "x" } # of a\nb: 1\n'],
    ["c.yaml", "a: x, y\n", 'a: { path: "x, y" }\n'],
    ["c.yaml", "a:\n  'x'\nb: 1\n", "a:\n  { 'path': 'x' }\nb: 1\n"],
  ])("%s %j", (path, before, after) => {
    expect(changed(path, before, { kind: "wrap", under: "path" })).toBe(after);
  });

  test("leaves a text that another place shares", () => {
    const shared = "a: &it x\nb: *it\n";
    expect(changed("c.yaml", shared, { kind: "wrap", under: "path" })).toBe(shared);
  });
});

describe("replaces a list of texts by one text", () => {
  test.each<[string, string, string]>([
    ["c.json", '{ "a": ["x"], "b": [2] }', '{ "a": "x, y", "b": [2] }'],
    ["c.json", '{\n  "a": [\n    "x",\n    "y"\n  ]\n}', '{\n  "a": "x, y"\n}'],
    ["c.json5", "{ a: ['x', 'y',], }", '{ a: "x, y", }'],
    ["c.yaml", "a: [x, y] # of a\n", 'a: "x, y" # of a\n'],
    ["c.yaml", "a:\n  - x\n  - y\nb: 1\n", 'a: "x, y"\nb: 1\n'],
    ["c.yaml", "a:\n- x\n\n# of b\nb: 1\n", 'a: "x, y"\n\n# of b\nb: 1\n'],
    ["c.yaml", 'a: ["-", "]"]\n', 'a: "x, y"\n'],
  ])("%s %j", (path, before, after) => {
    expect(changed(path, before, { kind: "value", value: "x, y" })).toBe(after);
  });

  test.each<[string, string]>([
    ["c.json5", "{ a: ['x', /* why */ 'y'] }"],
    ["c.yaml", "a:\n  - x # why\n  - y\n"],
    ["c.yaml", "a:\n  # why\n  - x\n"],
    ["c.yaml", "a: &it [x]\nb: *it\n"],
    ["c.json", '{ "a": ["x", 1] }'],
  ])("refuses to lose settings: %s %j", (path, text) => {
    expect(changed(path, text, { kind: "value", value: "x" })).toBe(text);
  });

  test("together with its key, and without a fix of an item", () => {
    const { text, applied, skipped } = fixing("c.json", '{ "a": ["x"] }', (tree) => [
      [rewrite(digKey(tree, "a"), "b"), { kind: "value", at: dig(tree, "a").at, value: "x" }],
      [{ kind: "value", at: dig(tree, "a", "0").at, value: "z" }],
    ]);
    expect([text, applied.length, skipped.length]).toEqual(['{ "b": "x" }', 1, 1]);
  });
});
