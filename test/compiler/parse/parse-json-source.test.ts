import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toPlain } from "../../../src/compiler/source/to-plain.js";
import type { TreeNode } from "../../../src/compiler/source/tree.js";
import { propertyRun } from "../../support/property/property-run.js";
import { dig, digString, pieces, read, span, textAt } from "./harness.js";

function plain(tree: TreeNode | undefined): unknown {
  if (!tree) throw new Error("there is no tree");
  return JSON.parse(JSON.stringify(toPlain(tree)));
}

describe("JSON values", () => {
  test.each<[string, string, unknown]>([
    ["a.json", '{"a": [1, true, null, "x"]}', { a: [1, true, null, "x"] }],
    ["a.json", '// c\n{"a": 1, /* d */ "b": [2,],}', { a: 1, b: [2] }],
    ["a.JSON", "1e3", 1000],
    ["a.json", "-0", 0],
    ["a.json", "[-1.5e-2, 0.0]", [-0.015, 0]],
    ["a.json", '"\\u0041\\n\\/\\ud83d\\ude00"', "A\n/\u{1f600}"],
    ["a.json", '{"a":1}\r\n', { a: 1 }],
    [
      "a.json5",
      "{a: 'it\\'s', $b_1: +1, 'c': .5, d: 0xFF, e: 5.}",
      { a: "it's", $b_1: 1, c: 0.5, d: 255, e: 5 },
    ],
    ["a.json5", '"a\\\nb\\x41\\v\\0"', "ab" + "A\v\0"],
    ["a.json5", '"a\\\r\nb"', "ab"],
    ["a.json5", "{\\u0061b: 1}", { ab: 1 }],
    ["a.json5", "{ünï: 1}", { ünï: 1 }],
    ["a.json5", "-0x10", -16],
    ["a.json", "// a\u2028b\n1", 1],
    ["a.json5", "// a\u20281", 1],
    ["-", ' // c\n {"a": 1}', { a: 1 }],
  ])("reads the value in %s %s", (path, text, want) => {
    const { tree, found } = read(path, text);
    expect(found).toEqual([]);
    expect(plain(tree)).toEqual(want);
  });

  test("reads numbers that JSON lacks as JSON5 defines them", () => {
    const { tree } = read("a.json5", "[NaN, -Infinity, 1e999]");
    expect(toPlain(dig(tree))).toEqual([Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });
});

test("the parser reads any JSON value as JSON.parse reads it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(3), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      for (const path of ["a.json", "a.json5"])
        expect(plain(read(path, text).tree)).toEqual(JSON.parse(text));
    }),
    propertyRun(),
  );
});

describe("places in JSON", () => {
  const text = '{\n  "a/b": [ 12, "x\\ty" ],\n  "c": { }\n}\n';
  const { tree } = read("a.json", text);

  test.each<[string, (string | number)[], string, string]>([
    ["the document", [], "1:1-4:2", ""],
    ["a list", ["a/b"], "2:10-2:24", "/a~1b"],
    ["a number", ["a/b", 0], "2:12-2:14", "/a~1b/0"],
    ["a string", ["a/b", 1], "2:16-2:22", "/a~1b/1"],
    ["an object", ["c"], "3:8-3:11", "/c"],
  ])("finds the place and the pointer of %s", (_, path, at, pointer) => {
    const node = dig(tree, ...path);
    expect([span(node.at), node.at.pointer]).toEqual([at, pointer]);
  });

  test("gives a key the pointer of its value", () => {
    const document = dig(tree);
    const keys = document.kind === "object" ? document.members.map(({ key }) => key.at) : [];
    expect(keys.map((at) => [span(at), at.pointer])).toEqual([
      ["2:3-2:8", "/a~1b"],
      ["3:3-3:6", "/c"],
    ]);
  });
});

describe("parts of a JSON string", () => {
  test.each<[string, string, string[]]>([
    ["a.json", '"abc"', ["a", "b", "c"]],
    ["a.json", '"a\\nb"', ["a", "\\n", "b"]],
    ["a.json", '"\\u0041\\\\\\""', ["\\u0041", "\\\\", '\\"']],
    ["a.json", '"\\ud83d\\ude00!"', ["\\ud83d", "\\ude00", "!"]],
    ["a.json", '"\u{1f600}!"', ["\ud83d", "\ude00", "!"]],
    ["a.json5", "'a\\\r\n  b'", ["a", " ", " ", "b"]],
    ["a.json5", "'\\x41\\q\\''", ["\\x41", "\\q", "\\'"]],
  ])("finds the source of each character in %s %s", (path, text, want) => {
    expect(pieces(digString(read(path, text).tree))).toEqual(want);
  });

  test("locates spans, ends and the empty part of a string", () => {
    const node = digString(read("a.json", '{"k": "ab\\ncd"}').tree, "k");
    expect(textAt(node.part(1, 4))).toBe("b\\nc");
    expect(textAt(node.part(0, 99))).toBe("ab\\ncd");
    expect(span(node.part(3, 3))).toBe("1:12-1:12");
    expect(span(node.part(5, 5))).toBe("1:14-1:14");
    expect(span(digString(read("a.json", '""').tree).part(0, 0))).toBe("1:2-1:2");
  });

  test("locates the parts of a key", () => {
    const { tree } = read("a.json5", "{ 'a\\tb': 1, \\u0063d: 2 }");
    const members = tree?.kind === "object" ? tree.members : [];
    expect(members.map(({ key }) => pieces(key))).toEqual([
      ["a", "\\t", "b"],
      ["\\u0063", "d"],
    ]);
  });
});

describe("faults in JSON", () => {
  test.each<[string, string, string]>([
    ["a.json", "", "1:1-1:1 empty-config: the configuration is empty"],
    ["a.json5", " // c\n/* d */\n", "1:1-1:1 empty-config: the configuration is empty"],
    ["a.json", '{"a": 1', "1:8-1:8 unexpected-end: the text ends inside an object"],
    ["a.json", '{"a": [1,\n', "1:10-1:10 unexpected-end: the text ends inside a list"],
    ["a.json", '{"a": ', "1:6-1:6 unexpected-end: the text ends where a value is needed"],
    ["a.json", '{"a"', '1:5-1:5 unexpected-end: the text ends where ":" after the key is needed'],
    ["a.json", '{"a": "b', "1:7-1:9 unexpected-end: the text ends inside this string"],
    ["a.json", '["a\n"]', "1:2-1:4 syntax-error: this string is not closed on its line"],
    ["a.json", '["a\\', "1:2-1:5 unexpected-end: the text ends inside this string"],
    ["a.json", '["\t"]', "1:3-1:4 syntax-error: a string contains a raw tab"],
    ["a.json", '["\0"]', "1:3-1:4 syntax-error: a string contains a raw character U+0000"],
    ["a.json", "[1 2]", '1:4-1:5 syntax-error: expected "," or "]", found "2"'],
    ["a.json", "[1] x", '1:5-1:6 syntax-error: expected the end of the file, found "x"'],
    ["a.json", "[,]", '1:2-1:3 syntax-error: expected a value, found ","'],
    ["a.json", "{,}", '1:2-1:3 syntax-error: expected a key or "}", found ","'],
    ["a.json", "{a: 1}", '1:2-1:3 syntax-error: expected a key or "}", found "a"'],
    ["a.json", "['a']", '1:2-1:5 syntax-error: expected a value, found "a"'],
    ["a.json", "['a]", '1:2-1:3 syntax-error: expected a value, found "\'"'],
    ["a.json", '{"a": 1"}', '1:8-1:9 syntax-error: expected "," or "}", found a quote'],
    ["a.json", '{"a": "b" "c d": 1}', '1:11-1:16 syntax-error: expected "," or "}", found "c d"'],
    ["a.json", "[Yes]", '1:2-1:5 syntax-error: expected a value, found "Yes"'],
    ["a.json", "[01]", '1:2-1:4 syntax-error: "01" is not a number'],
    ["a.json", "[+1]", '1:2-1:4 syntax-error: "+1" is not a number'],
    ["a.json", "[1.]", '1:2-1:4 syntax-error: "1." is not a number'],
    ["a.json", "[NaN]", '1:2-1:5 syntax-error: expected a value, found "NaN"'],
    ["a.json", '["\\x41"]', '1:3-1:5 syntax-error: "\\x" is not a valid JSON escape'],
    ["a.json", '["\\u12"]', '1:3-1:5 syntax-error: "\\u" needs 4 hexadecimal digits'],
    ["a.json", "[1 /* x", "1:4-1:6 unexpected-end: this comment is never closed"],
    [
      "a.json",
      '{"a":1,"b":2,"\\u0061":3}',
      '1:14-1:22 duplicate-key: the key "a" is already used in this object',
    ],
    [
      "a.json",
      '{"__proto__":1,"__proto__":2}',
      '1:16-1:27 duplicate-key: the key "__proto__" is already used in this object',
    ],
    ["a.json5", "{a: 1, 'a': 2}", '1:8-1:11 duplicate-key: the key "a" is already used in this object'],
    ["a.json5", "[0x]", '1:2-1:4 syntax-error: "0x" is not a number'],
    ["a.json5", "['\n']", "1:2-1:3 syntax-error: this string is not closed on its line"],
    ["a.json5", "['\\1']", '1:3-1:5 syntax-error: "\\1" is not a valid JSON5 escape'],
    ["-", "/* x", "1:1-1:3 unexpected-end: this comment is never closed"],
  ])("reports the fault in %s %s", (path, text, want) => {
    const { tree, found } = read(path, text);
    expect(found).toEqual([want]);
    expect(tree).toBeUndefined();
  });
});

describe("hostile JSON", () => {
  const levels = 100_000;

  test.each([
    ["lists", "[".repeat(levels)],
    ["objects", '{"a":'.repeat(levels)],
    ["both", '[{"a":'.repeat(levels)],
  ])("refuses %s nested a hundred thousand deep", (_, text) => {
    const { found } = read("a.json", text);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/ too-deep: values nest deeper than 200 levels$/);
  });

  test("accepts 200 levels of nesting and refuses 201", () => {
    expect(read("a.json", "[".repeat(200) + "]".repeat(200)).found).toEqual([]);
    expect(read("a.json", "[".repeat(201) + "]".repeat(201)).found).toEqual([
      "1:201-1:202 too-deep: values nest deeper than 200 levels",
    ]);
  });

  test("reads a file with very many comments and blanks", () => {
    expect(read("a.json", `${"// c\n/* d */ ".repeat(levels)}1`).found).toEqual([]);
    expect(read("-", `${" \n".repeat(2_000_000)}{}`).found).toEqual([]);
  });

  test("reads keys named like members of Object.prototype", () => {
    const { tree } = read("a.json", '{"__proto__": {"x": 1}, "constructor": 2, "toString": 3}');
    const value = toPlain(dig(tree)) as Record<string, unknown>;
    expect(Object.keys(value)).toEqual(["__proto__", "constructor", "toString"]);
    expect(Object.getPrototypeOf(value)).toBeNull();
  });

  test("keeps lone surrogates", () => {
    expect(digString(read("a.json", '"\\ud800x"').tree).value).toBe("\ud800x");
  });
});
