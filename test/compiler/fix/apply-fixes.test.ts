import { describe, expect, test } from "vitest";
import { rewrite } from "../../../src/compiler/diagnostics/diagnostic.js";
import { applyFixes } from "../../../src/compiler/fix/apply-fixes.js";
import { dig, digString, read } from "../parse/harness.js";
import { digKey, finding, fixA, fixing, replacing } from "./harness.js";

describe("changes a part of a string in the string's style", () => {
  test.each<[string, string, string, string, string]>([
    // file, before, part, replacement, after
    ["c.json", '{ "a": "x == y" } // c', "==", "===", '{ "a": "x === y" } // c'],
    ["c.json", '{ "a": "\\u0041 b\\n" }', "b", "c", '{ "a": "\\u0041 c\\n" }'],
    ["c.json", '{ "a": "x" }', "x", '"\\\n\u0007', '{ "a": "\\"\\\\\\n\\u0007" }'],
    ["c.json", '{ "a": "x" }', "x", "é\u2028\ufeff😀", '{ "a": "é\\u2028\\ufeff😀" }'],
    ["c.json5", "{ a: 'x\\'s y' }", "y", "it's \"\\\n", "{ a: 'x\\'s it\\'s \"\\\\\\n' }"],
    ["c.json5", "{ a: 'x \\\n y', }", "y", "z", "{ a: 'x \\\n z', }"],
    ["c.yaml", "a: x == y # c\n", "==", "===", "a: x === y # c\n"],
    ["c.yaml", "a: x   y\n", "y", "'q' \"p\" \\", "a: x   'q' \"p\" \\\n"],
    ["c.yaml", "a: one\n  two\n  three # c\n", "two", "2", "a: one\n  2\n  three # c\n"],
    ["c.yaml", "a: 'it''s' # c\n", "s", "x'\"\\: #", "a: 'it''x''\"\\: #' # c\n"],
    ["c.yaml", 'a: "x\\ty" # c\n', "y", '"\\: #\n', 'a: "x\\t\\"\\\\: #\\n" # c\n'],
    ["c.yaml", "{ a: x, b: y }\n", "x", "z z", "{ a: z z, b: y }\n"],
    [
      "c.yaml",
      "a: |\n  one\n   two\n\n  three\nb: 1\n",
      "two",
      "2: '",
      "a: |\n  one\n   2: '\n\n  three\nb: 1\n",
    ],
    ["c.yaml", "a: >- # c\n  one\n  two\n\nb: 1\n", "two", "2 # \\", "a: >- # c\n  one\n  2 # \\\n\nb: 1\n"],
    ["c.yaml", "a: &x |-\r\n  one\r\n  two\r\n# c\r\n", "one", "1", "a: &x |-\r\n  1\r\n  two\r\n# c\r\n"],
    ["c.yaml", "a: 😀 b\n", "b", "😀", "a: 😀 😀\n"],
  ])("%s %j: %j -> %j", (path, before, old, put, after) => {
    expect(fixA(path, before, old, put)).toBe(after);
  });
});

describe("writes a string in double quotes when its style cannot express the change", () => {
  test.each<[string, string, string, string, string]>([
    ["c.yaml", "a: x # c\n", "x", "x: y", 'a: "x: y" # c\n'],
    ["c.yaml", "a: x y # c\n", "y", "#y", 'a: "x #y" # c\n'],
    ["c.yaml", "a: x # c\n", "x", "1", 'a: "1" # c\n'],
    ["c.yaml", "a: x # c\n", "x", "null", 'a: "null" # c\n'],
    ["c.yaml", "a: x # c\n", "x", "", 'a: "" # c\n'],
    ["c.yaml", "a: x\n", "x", "[x", 'a: "[x"\n'],
    ["c.yaml", "a: x\n", "x", "- \\", 'a: "- \\\\"\n'],
    ["c.yaml", "a: x\n", "x", "x\ny", 'a: "x\\ny"\n'],
    ["c.yaml", "a: x\n", "x", " x", 'a: " x"\n'],
    ["c.yaml", "a: x\n", "x", "\u2028", 'a: "\\u2028"\n'],
    ["c.yaml", "{ a: x, b: y }\n", "x", "f(x, y)", '{ a: "f(x, y)", b: y }\n'],
    ["c.yaml", "a: 'x' # c\n", "x", "y\nz", 'a: "y\\nz" # c\n'],
    ["c.yaml", "a: | # c\n  one\n  two\n\n# d\nb: 1\n", "\n", " ", 'a: "one two\\n" # c\n\n# d\nb: 1\n'],
    ["c.yaml", "a: >-\n  one\n  two\n", "one", "1\n2", 'a: "1\\n2 two"\n'],
    // White space in JavaScript, but not in YAML.
    ["c.yaml", "a: |-\n  one\ufeff\nb: 1\n", "one", "1\n", 'a: "1\\n\\ufeff"\nb: 1\n'],
    ["c.yaml", "a: |\r\n  one\r\nb: 1\r\n", "one", "", 'a: "\\n"\r\nb: 1\r\n'],
  ])("%s %j: %j -> %j", (path, before, old, put, after) => {
    expect(fixA(path, before, old, put)).toBe(after);
  });

  test("does not write half a surrogate pair, which no file can hold", () => {
    const { text } = fixing("c.yaml", "a: 😀\n", (tree) => [
      [{ kind: "part", of: digString(tree, "a"), start: 1, end: 2, text: "x" }],
    ]);
    expect(text).toBe('a: "\\ud83dx"\n');
  });
});

describe("replaces keys", () => {
  test.each<[string, string, string, string]>([
    ["c.json", '{ "A" : 1, "b": 2, }', "a", '{ "a" : 1, "b": 2, }'],
    ["c.json5", "{ A: 1, // c\n}", "a", "{ a: 1, // c\n}"],
    ["c.json5", "{ A: 1 }", "a b", '{ "a b": 1 }'],
    ["c.json5", "{ 'A': 1 }", "it's", "{ 'it\\'s': 1 }"],
    ["c.yaml", "A : 1 # c\n", "a", "a : 1 # c\n"],
    ["c.yaml", "A: 1\n", "a: b", '"a: b": 1\n'],
    ["c.yaml", "? A\n: 1\n", "a", "? a\n: 1\n"],
    ["c.yaml", "? |-\n  A\n: 1\n", "a", "? |-\n  a\n: 1\n"],
    ["c.yaml", "{ A: 1, 'b': 2 }", "1", "{ \"1\": 1, 'b': 2 }"],
  ])("%s %j -> %j", (path, before, put, after) => {
    expect(fixing(path, before, (tree) => [[rewrite(digKey(tree, "A"), put)]]).text).toBe(after);
  });
});

describe("replaces whole values", () => {
  test.each<[string, string, string | number | boolean, string]>([
    ["c.json", '{ "a": 1 /* c */ }', "1", '{ "a": "1" /* c */ }'],
    ["c.json", '{ "a": "12" }', 12, '{ "a": 12 }'],
    ["c.json5", "{ a: 'x', }", true, "{ a: true, }"],
    ["c.json5", "{ a: 'x', }", "it's", "{ a: 'it\\'s', }"],
    ["c.yaml", "a: 1 # c\n", "1", 'a: "1" # c\n'],
    ["c.yaml", "a: '12' # c\n", 12, "a: 12 # c\n"],
    ["c.yaml", "a: no\n", "nope", "a: nope\n"],
    ["c.yaml", "a: |\n  one\n", "two: x\n", "a: |\n  two: x\n"],
    ["c.yaml", "a: ~\n", 1e21, "a: 1e+21\n"],
    ["c.yaml", "a: | # c\n  12\n\nb: 1\n", 12, "a: 12 # c\n\nb: 1\n"],
  ])("%s %j -> %j", (path, before, value, after) => {
    const { text } = fixing(path, before, (tree) => [[{ kind: "value", at: dig(tree, "a").at, value }]]);
    expect(text).toBe(after);
  });

  test.each([
    ["a list", "a: [1, 2]\n"],
    ["a value that is not written", "a:\nb: 1\n"],
  ])("%s cannot be replaced like a scalar", (_, before) => {
    const { text, skipped } = fixing("c.yaml", before, (tree) => [
      [{ kind: "value", at: dig(tree, "a").at, value: 1 }],
    ]);
    expect([text, skipped.map(({ reason }) => reason)]).toEqual([before, ["impossible"]]);
  });
});

describe("several fixes", () => {
  const both = '{ "a": "x == y == z", "b": 1, "A": "x" }';

  test("are applied together if they do not touch", () => {
    const { text, applied, splices } = fixing("c.json", both, (tree) => [
      [{ kind: "value", at: dig(tree, "b").at, value: "1" }],
      [{ kind: "part", of: digString(tree, "a"), start: 7, end: 9, text: "===" }],
      [{ kind: "part", of: digString(tree, "a"), start: 2, end: 4, text: "===" }],
    ]);
    expect(text).toBe('{ "a": "x === y === z", "b": "1", "A": "x" }');
    expect(applied.map(({ message }) => message)).toEqual(["0", "1", "2"]);
    expect(splices.map(({ start }) => start)).toEqual([12, 17, 27]);
  });

  test("wait for the next round if they touch an earlier one", () => {
    const { text, applied, skipped } = fixing("c.json", both, (tree) => [
      [replacing(digString(tree, "a"), "x", "p")],
      [{ kind: "part", of: digString(tree, "a"), start: 1, end: 1, text: "!" }],
      [rewrite(digString(tree, "a"), "other")],
    ]);
    expect(text).toBe(both.replace("x", "p"));
    expect(applied.map(({ message }) => message)).toEqual(["0"]);
    expect(skipped.map(({ diagnostic, reason }) => [diagnostic.message, reason])).toEqual([
      ["1", "collision"],
      ["2", "collision"],
    ]);
  });

  test("do not wait for a fix that cannot be applied", () => {
    const { text, skipped } = fixing("c.json", '{ "a": "x", "b": "y" }', (tree) => [
      [rewrite(digString(tree, "a"), "z"), rewrite(digKey(tree, "a"), "b")],
      [rewrite(digString(tree, "a"), "w")],
      [rewrite(digString(tree, "b"), "v")],
    ]);
    expect(text).toBe('{ "a": "w", "b": "v" }');
    expect(skipped.map(({ diagnostic, reason }) => [diagnostic.message, reason])).toEqual([
      ["0", "impossible"],
    ]);
  });

  test("do not make two keys the same", () => {
    const { text, applied } = fixing("c.json", '{ "A": 1, "b": 2, "B": 3 }', (tree) => [
      [rewrite(digKey(tree, "A"), "c")],
      [rewrite(digKey(tree, "b"), "c")],
      [rewrite(digKey(tree, "B"), "d")],
    ]);
    expect(text).toBe('{ "c": 1, "b": 2, "d": 3 }');
    expect(applied.map(({ message }) => message)).toEqual(["0", "2"]);
  });

  test("apply all edits of each fix, touching edits in order", () => {
    const { text } = fixing("c.json", '{ "a": "x" }', (tree) => {
      const of = digString(tree, "a");
      return [
        [
          { kind: "part", of, start: 0, end: 0, text: "f(" },
          { kind: "part", of, start: 1, end: 1, text: ")" },
          { kind: "part", of, start: 1, end: 1, text: ".y" },
        ],
      ];
    });
    expect(text).toBe('{ "a": "f(x).y" }');
  });

  test("must not have overlapping edits within one fix", () => {
    const { text, skipped } = fixing("c.json", '{ "a": "xyz" }', (tree) => [
      [replacing(digString(tree, "a"), "xy", "1"), replacing(digString(tree, "a"), "yz", "2")],
    ]);
    expect([text, skipped.length]).toEqual(['{ "a": "xyz" }', 1]);
  });

  test("are applied once if they are equal", () => {
    const { text, applied } = fixing("c.json", '{ "a": "x" }', (tree) => [
      [replacing(digString(tree, "a"), "x", "xx")],
      [replacing(digString(tree, "a"), "x", "xx")],
    ]);
    expect([text, applied.length]).toEqual(['{ "a": "xx" }', 2]);
  });
});

describe("behind a YAML anchor", () => {
  const text = "a: &v x\nb: *v\n";

  test("a value does not change if the fix concerns only one use", () => {
    const result = fixing("c.yaml", text, (tree) => [[replacing(digString(tree, "a"), "x", "y")]]);
    expect([result.text, result.skipped[0]?.reason]).toEqual([text, "impossible"]);
  });

  test("a value changes if the fix concerns every use", () => {
    const result = fixing("c.yaml", text, (tree) => [
      [replacing(digString(tree, "a"), "x", "y: ")],
      [replacing(digString(tree, "b"), "x", "y: ")],
    ]);
    expect([result.text, result.applied.length]).toEqual(['a: &v "y: "\nb: *v\n', 2]);
  });

  test("a key that overrides a merged key is not renamed", () => {
    const merged = "base: &b { x: 1 }\nmore: { <<: *b, x: 2 }\n";
    const result = fixing("c.yaml", merged, (tree) => [[rewrite(digKey(tree, "more", "x"), "y")]]);
    expect([result.text, result.skipped.length]).toEqual([merged, 1]);
  });
});

describe("leaves unchanged", () => {
  test("other files", () => {
    const abi = read("abi.json", '{ "a": "x" }');
    const { source } = read("c.json", '{ "a": "x" }');
    const fix = [rewrite(digString(abi.tree, "a"), "y")];
    expect(applyFixes(source, [finding(fix)])).toMatchObject({
      text: source.text,
      skipped: [{ reason: "other-file" }],
    });
  });

  test("the target of a fix with an edit in a different file", () => {
    const abi = read("abi.json", '{ "a": "x" }');
    const { source, tree } = read("c.json", '{ "a": "x" }');
    const fix = [rewrite(digString(tree, "a"), "y"), rewrite(digString(abi.tree, "a"), "y")];
    expect(applyFixes(source, [finding(fix)]).text).toBe(source.text);
  });

  test("a text that does not parse", () => {
    const { tree } = read("c.json", '{ "a": "x" }');
    const broken = { path: "c.json", text: '{ "a": "x"' };
    const edit = rewrite({ ...digString(tree, "a"), at: { ...dig(tree, "a").at, source: broken } }, "y");
    expect(applyFixes(broken, [finding([edit])]).skipped).toHaveLength(1);
  });

  test("a value that is already correct", () => {
    const result = fixing("c.json", '{ "a": "x" }', (tree) => [[rewrite(digString(tree, "a"), "x")]]);
    expect([result.applied, result.skipped.length]).toEqual([[], 1]);
  });
});
