import { describe, expect, test } from "vitest";
import { type Edit, rewrite } from "../../../src/compiler/diagnostics/diagnostic.js";
import type { TreeNode } from "../../../src/compiler/source/tree.js";
import { dig } from "../parse/harness.js";
import { digKey, fixing } from "./harness.js";

const add = (tree: TreeNode | undefined, ...path: readonly string[]): Edit => ({
  kind: "add",
  at: dig(tree, ...path).at,
  key: "new",
  value: "1",
});

describe("adds a member as the first of its object, in the style of the others", () => {
  test.each<[string, string, string]>([
    ["c.json", '{ "a": 1 }', '{ "new": "1", "a": 1 }'],
    ["c.json", '{"a":1}', '{"new": "1", "a":1}'],
    ["c.json", '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "new": "1",\n  "a": 1,\n  "b": 2\n}\n'],
    [
      "c.json",
      '// all\r\n{\r\n\t// one\r\n\t"a": 1\r\n}',
      '// all\r\n{\r\n\t// one\r\n\t"new": "1",\r\n\t"a": 1\r\n}',
    ],
    ["c.json5", "{ 'a': 1, }", "{ 'new': \"1\", 'a': 1, }"],
    ["c.yaml", "# all\na: 1\nb: 2\n", '# all\nnew: "1"\na: 1\nb: 2\n'],
    ["c.yaml", "{ a: 1 }\n", '{ new: "1", a: 1 }\n'],
    ["c.yaml", "---\n'a':\n  - b\n", "---\n'new': \"1\"\n'a':\n  - b\n"],
  ])("%s %j", (path, before, after) => {
    expect(fixing(path, before, (tree) => [[add(tree)]]).text).toBe(after);
  });

  test("to an object in a YAML list, and to a nested object", () => {
    const inList = fixing("c.yaml", "- a: 1\n  b: 2\n", (tree) => [
      [add(tree?.kind === "array" ? tree.items[0] : undefined)],
    ]);
    expect(inList.text).toBe('- new: "1"\n  a: 1\n  b: 2\n');
    expect(fixing("c.json", '{ "o": { "a": 1 } }', (tree) => [[add(tree, "o")]]).text).toBe(
      '{ "o": { "new": "1", "a": 1 } }',
    );
  });
});

test("a fix adds a member together with other fixes, and only once when it is requested twice", () => {
  const { text, applied } = fixing("c.json", '{ "a": 1, "b": 2 }', (tree) => [
    [rewrite(digKey(tree, "a"), "A")],
    [add(tree)],
    [add(tree)],
    [{ kind: "value", at: dig(tree, "b").at, value: "2" }],
  ]);
  expect([text, applied.length]).toEqual(['{ "new": "1", "A": 1, "b": "2" }', 4]);
});

test.each<[string, string, string]>([
  ["a key that is already set", "c.json", '{ "new": 2, "a": 1 }'],
  ["an object that is used twice", "c.yaml", "o: &o\n  a: 1\np: *o\n"],
  ["an object without members", "c.json", "{}"],
  ["a value that is not an object", "c.json", "[1]"],
])("a fix adds nothing to %s", (_name, path, text) => {
  const result = fixing(path, text, (tree) => [[add(tree, ...(text.startsWith("o:") ? ["o"] : []))]]);
  expect([result.text, result.applied, result.skipped.map(({ reason }) => reason)]).toEqual([
    text,
    [],
    ["impossible"],
  ]);
});
