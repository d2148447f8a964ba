import { describe, expect, test } from "vitest";
import { toPlain } from "../../../src/compiler/source/to-plain.js";
import { dig, digString, pieces, read, span, textAt } from "./harness.js";

describe("YAML values", () => {
  test.each<[string, unknown]>([
    ["a: 1\nb: [x, 'y', \"z\"]\n", { a: 1, b: ["x", "y", "z"] }],
    [
      "a: 1e3\nb: 0x10\nc: 1_000\nd: no\ne: true\nf: ~\ng:\n",
      { a: 1000, b: 16, c: "1_000", d: "no", e: true, f: null, g: null },
    ],
    ["- a: &x { b: 1 }\n- *x\n", [{ a: { b: 1 } }, { b: 1 }]],
    ["base: &b { x: 1, y: 2 }\nmore: { <<: *b, y: 3 }\n", { base: { x: 1, y: 2 }, more: { y: 3, x: 1 } }],
    [
      "a: &p { x: 1 }\nb: &q { x: 2, y: 2 }\nc: { <<: [*p, *q] }",
      { a: { x: 1 }, b: { x: 2, y: 2 }, c: { x: 1, y: 2 } },
    ],
    ["a: &x 1\nb: &x 2\nc: *x", { a: 1, b: 2, c: 2 }],
    ["&k key: *k", { key: "key" }],
    ['"<<": 1', { "<<": 1 }],
    ["# comment\r\na: b\r\n", { a: "b" }],
    ["--- # start\na: b\n...\n", { a: "b" }],
    ["a: |\n  x\n   y\n\nb: >-\n  x\n  y\n", { a: "x\n y\n", b: "x y" }],
  ])("reads the value of %s", (text, want) => {
    const { tree, found } = read("a.yaml", text);
    expect(found).toEqual([]);
    expect(JSON.parse(JSON.stringify(toPlain(dig(tree))))).toEqual(want);
  });

  test("reads standard input as YAML when it is not JSON", () => {
    expect(digString(read("<stdin>", "# c\na: b").tree, "a").value).toBe("b");
  });
});

describe("places in YAML", () => {
  const text = 'a:\n  b: "x"\n  c:\n  - 1\n  - *z\n'.replace("*z", "[ 2 ]");
  const { tree } = read("a.yml", text);

  test.each<[(string | number)[], string, string]>([
    [["a", "b"], '"x"', "/a/b"],
    [["a", "c", 0], "1", "/a/c/0"],
    [["a", "c", 1], "[ 2 ]", "/a/c/1"],
  ])("finds the place of %s", (path, want, pointer) => {
    const { at } = dig(tree, ...path);
    expect([textAt(at), at.pointer]).toEqual([want, pointer]);
  });

  test("places an aliased value at its anchor, with the pointer of its use", () => {
    const { at } = dig(read("a.yaml", "a: &x\n  k: v\nb: *x\n").tree, "b", "k");
    expect([span(at), at.pointer]).toEqual(["2:6-2:7", "/b/k"]);
  });

  test("places a missing value behind its key", () => {
    expect(span(dig(read("a.yaml", "a:\nb: 1\n").tree, "a").at)).toBe("1:3-1:3");
  });
});

describe("parts of a YAML string", () => {
  test.each<[string, string, string[]]>([
    ["plain", "k: ab c", ["a", "b", " ", "c"]],
    ["plain, folded", "k: ab\n  cd", ["a", "b", "\n  ", "c", "d"]],
    ["plain, folded around an empty line", "k: a\r\n\r\n  b", ["a", "\r\n\r\n  ", "b"]],
    ["single", "k: 'it''s'", ["i", "t", "''", "s"]],
    ["single, folded", "k: 'a \n  b'", ["a", " \n  ", "b"]],
    ["double", 'k: "a\\tb\\x41\\u00e9"', ["a", "\\t", "b", "\\x41", "\\u00e9"]],
    ["double, beyond 16 bits", 'k: "\\U0001F600!"', ["\\U0001F600", "\\U0001F600", "!"]],
    ["double, folded", 'k: "a\n\n  b"', ["a", "\n\n  ", "b"]],
    ["double, joined", 'k: "a\\\n   b"', ["a", "b"]],
    ["literal", "k: |\n  ab\n   c\n", ["a", "b", "\n", " ", "c", "\n"]],
    ["literal, kept", "k: |+\n  a\n\n", ["a", "\n", "\n"]],
    ["literal, indented by a digit", "k: |2\n   a\n", [" ", "a", "\n"]],
    ["folded", "k: >-\n  ab\n  cd\n", ["a", "b", "\n  ", "c", "d"]],
    ["literal with words that look like syntax", "k: |-\n  a: 'b''c' # d\n", [..."a: 'b''c' # d"]],
  ])("locates each character of a string: %s", (_, text, want) => {
    const got = pieces(digString(read("a.yaml", text).tree, "k"));
    expect(got).toEqual(want);
  });
});

describe("faults in YAML", () => {
  test.each<[string, string]>([
    ["a: 1\na: 2\n", '2:1-2:2 duplicate-key: the key "a" is already used in this object'],
    ["{a: 1, a: 2}", '1:8-1:9 duplicate-key: the key "a" is already used in this object'],
    ["'a': 1\n\"a\": 2\n", '2:1-2:4 duplicate-key: the key "a" is already used in this object'],
    ["a: !!str 1\n", '1:4-1:9 yaml-tag: the tag "!!str" is not supported'],
    ["a: !foo [1]\n", '1:4-1:8 yaml-tag: the tag "!foo" is not supported'],
    ["%YAML 1.1\n---\na: yes\n", "1:1-1:10 yaml-directive: YAML directives are not supported"],
    ["a: 1\n---\nb: 2\n", "2:1-2:4 yaml-documents: a configuration is one YAML document"],
    ["1: a\n", "1:1-1:2 yaml-key: a key must be text"],
    ["? [a]\n: b\n", "1:3-1:6 yaml-key: a key must be text"],
    ["a: *x\n", '1:4-1:6 yaml-alias: no anchor named "x" comes before this alias'],
    ["a: &x [*x]\n", '1:8-1:10 yaml-alias: the value of anchor "x" contains itself'],
    ["a: { <<: [1] }\n", '1:11-1:12 yaml-merge: "<<" needs an alias of an object'],
    ["a:\n\t b: 1\n", "2:1-2:3 syntax-error: a line is indented with a tab"],
    ["a: 'x", "1:4-1:6 unexpected-end: the text ends inside this string"],
    ["a: [1, 2", "1:9-1:9 unexpected-end: the text ends too early"],
  ])("reports the fault in %s", (text, want) => {
    const { tree, found } = read("a.yaml", text);
    expect(found).toEqual([want]);
    expect(tree).toBeUndefined();
  });

  test("reads a string that looks like a tag or directive as a string", () => {
    expect(read("a.yaml", 'a: "!x"\nb: |\n  %y\n  !z\nc: x !y\n').found).toEqual([]);
  });
});

describe("hostile YAML", () => {
  test.each([
    ["flow lists", "[".repeat(100_000)],
    ["flow objects", "{a: ".repeat(100_000)],
    ["block lists", `${"- ".repeat(100_000)}a`],
    ["block objects", Array.from({ length: 1000 }, (_, depth) => `${" ".repeat(depth)}a:\n`).join("")],
    ["question marks", "? ".repeat(100_000)],
  ])("refuses very deep %s", (_, text) => {
    const { found } = read("a.yaml", text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/ too-deep: values nest deeper than 200 levels$/);
  });

  test("accepts 150 levels of nesting", () => {
    expect(read("a.yaml", "[".repeat(150) + "]".repeat(150)).found).toEqual([]);
  });

  test("reports a second key of every name in Object.prototype", () => {
    expect(read("a.yaml", "__proto__: 1\nconstructor: 2\n__proto__: 3\n").found).toEqual([
      '3:1-3:10 duplicate-key: the key "__proto__" is already used in this object',
    ]);
  });
});
