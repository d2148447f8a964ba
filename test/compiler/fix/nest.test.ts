import { describe, expect, test } from "vitest";
import type { Edit } from "../../../src/compiler/diagnostics/diagnostic.js";
import { rewrite } from "../../../src/compiler/diagnostics/diagnostic.js";
import type { TreeNode } from "../../../src/compiler/source/tree.js";
import { dig } from "../parse/harness.js";
import { digKey, fixing } from "./harness.js";

const nest = (tree: TreeNode | undefined, path: readonly string[], ...keys: string[]): Edit => ({
  kind: "nest",
  at: dig(tree, ...path).at,
  keys,
  under: "new",
});

/** Moves "a" and "b" of the object at "o" into a new object. */
function nested(path: string, text: string): string {
  return fixing(path, text, (tree) => [[nest(tree, ["o"], "a", "b")]]).text;
}

describe("moves members into a new object, in the style of their surroundings", () => {
  test.each<[string, string, string]>([
    ["c.json", '{ "o": { "a": 1, "b": 2 } }', '{ "o": { "new": { "a": 1, "b": 2 } } }'],
    ["c.json", '{"o":{"z":0,"a":1,"b":2,"c":3}}', '{"o":{"z":0,"new": { "a":1,"b":2 },"c":3}}'],
    [
      "c.json",
      '{\n  "o": {\n    "a": 1, // one\n\n    "b": { "c": [\n      2\n    ] }, // two\n    "d": 3\n  }\n}\n',
      '{\n  "o": {\n    "new": {\n      "a": 1, // one\n\n      "b": { "c": [\n        2\n      ] }\n    }, // two\n    "d": 3\n  }\n}\n',
    ],
    [
      "c.json",
      '{\r\n\t"o": {\r\n\t\t"a": 1,\r\n\t\t"b": 2\r\n\t}\r\n}',
      '{\r\n\t"o": {\r\n\t\t"new": {\r\n\t\t\t"a": 1,\r\n\t\t\t"b": 2\r\n\t\t}\r\n\t}\r\n}',
    ],
    ["c.json5", "{ o: { a: 1, 'b': 2, } }", "{ o: { new: { a: 1, 'b': 2 }, } }"],
    ["c.yaml", "o: { a: 1, b: 2 }\n", "o: { new: { a: 1, b: 2 } }\n"],
    [
      "c.yaml",
      "o:\n  # of a\n  a:\n    - 1\n\n    - 2\n  b: |\n    one\n     two\n  c: 3\n",
      "o:\n  # of a\n  new:\n    a:\n      - 1\n\n      - 2\n    b: |\n      one\n       two\n  c: 3\n",
    ],
    ["c.yaml", "o:\n  'a': 1\n  b: 2\n", "o:\n  'new':\n    'a': 1\n    b: 2\n"],
  ])("%s %j", (path, before, after) => {
    expect(nested(path, before)).toBe(after);
  });

  test("moves members of a YAML list item", () => {
    const { text } = fixing("c.yaml", "- a: 1\n  b: 2\n- c: 3\n", (tree) => [
      [nest(tree?.kind === "array" ? tree.items[0] : undefined, [], "a", "b")],
    ]);
    expect(text).toBe("- new:\n    a: 1\n    b: 2\n- c: 3\n");
  });
});

test("a fix moves members together with other fixes, also of the moved members", () => {
  const { text, applied } = fixing("c.json", '{ "o": { "a": { "p": 1, "q": 2 }, "b": 2 } }', (tree) => [
    [rewrite(digKey(tree, "o", "a"), "A")],
    [nest(tree, ["o"], "a", "b")],
    [{ kind: "nest", at: dig(tree, "o", "a").at, keys: ["q"], under: "deep" }],
    [{ kind: "value", at: dig(tree, "o", "b").at, value: "2" }],
  ]);
  expect(text).toBe('{ "o": { "new": { "A": { "p": 1, "deep": { "q": 2 } }, "b": "2" } } }');
  expect(applied).toHaveLength(4);
});

test("a fix moves members once if two equal fixes do it", () => {
  const { text, applied } = fixing("c.json", '{ "o": { "a": 1, "b": 2 } }', (tree) => [
    [nest(tree, ["o"], "a", "b")],
    [nest(tree, ["o"], "a", "b")],
  ]);
  expect([text, applied.length]).toEqual(['{ "o": { "new": { "a": 1, "b": 2 } } }', 2]);
});

describe("does not move", () => {
  test.each<[string, string, string, readonly string[]]>([
    ["members that are not adjacent", "c.json", '{ "o": { "a": 1, "x": 0, "b": 2 } }', ["a", "b"]],
    ["members into a key that is already set", "c.json", '{ "o": { "a": 1, "b": 2, "new": 3 } }', ["a", "b"]],
    ["a missing member", "c.json", '{ "o": { "a": 1 } }', ["a", "b"]],
    ["an empty list of members", "c.json", '{ "o": { "a": 1 } }', []],
    ["members of an object that is used twice", "c.yaml", "o: &o\n  a: 1\n  b: 2\np: *o\n", ["a", "b"]],
    ["members that are merged", "c.yaml", "m: &m { a: 1, b: 2 }\no:\n  <<: *m\n", ["a", "b"]],
    ["a string over several lines", "c.json5", "{\n  o: {\n    a: 'x\\\ny',\n    b: 2\n  }\n}", ["a", "b"]],
    ["members of a value that is not an object", "c.json", '{ "o": [1] }', ["a"]],
  ])("%s", (_name, path, text, keys) => {
    const result = fixing(path, text, (tree) => [[nest(tree, ["o"], ...keys)]]);
    expect([result.text, result.applied, result.skipped.map(({ reason }) => reason)]).toEqual([
      text,
      [],
      ["impossible"],
    ]);
  });
});
