import { describe, expect, test } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { parseDocument } from "../../../src/compiler/parse/parse-document.js";
import { parseYaml } from "../../../src/compiler/parse/parse-yaml.js";
import { textAt } from "./harness.js";

/** The details of a faulty text: the label, the related places and the hint. */
function said(path: string, text: string): (string | undefined)[] {
  const report = new Report();
  parseDocument({ path, text }, report, parseYaml);
  const [first, ...more] = report.diagnostics;
  expect(more).toEqual([]);
  const related = first?.related.map((place) => `${textAt(place.at)}: ${place.text}`) ?? [];
  return [first?.label, ...related, first?.hint];
}

describe("faults in JSON", () => {
  test.each<[string, string, (string | undefined)[]]>([
    ["no comma", '[1\n"b"]', ["the next entry", ": a comma is missing here", 'put a "," between them']],
    [
      "no comma before a list",
      "[1 []]",
      ["the next entry", ": a comma is missing here", 'put a "," between them'],
    ],
    ["an extra comma", '{"a": 1,, "b": 2}', ["no value before this comma", "remove it"]],
    ["an extra comma in a list", "[1,, 2]", ["no value before this comma", "remove it"]],
    ["a comma for a value", '{"a": , "b": 2}', ["no value before this comma", "write a value before it"]],
    ["a character in place of a comma", "[1; 2]", [undefined, undefined]],
    ["half the quotes", '[1"]', ["this quote does not close a string", "put a quote before the value, too"]],
    [
      "the wrong bracket",
      '{"a": [1}',
      ["closes a bracket outside the list", "[: the list begins here", 'close the list with "]" first'],
    ],
    ["no colon", '{"a" = 1}', [undefined, '"a": the key', 'write ":" and a value after it']],
    ["an extra bracket", "[]]", ["the document ends before this", "remove it"]],
    ["two values", "[] []", ["the document ends before this", "remove everything from here on"]],
    ["True", "[True]", ["true, false and null are lower case", "write true"]],
    ["no quotes", "[yes]", ["not in quotes", "put strings in double quotes"]],
    ["no quotes around a key", "{a: 1}", ["only .json5 allows such a key", "put keys in double quotes"]],
    [
      "YAML",
      "version: '1'\nname: pools\n",
      ["a YAML document begins like this", "give the file a name that ends in .yaml"],
    ],
    ["typographic quotes", "[“yes”]", ["a typographic quote", 'use straight quotes everywhere: "yes"']],
    [
      "a typographic quote around a key",
      "{‘a’: 1}",
      ["a typographic quote", 'use straight quotes everywhere: "a"'],
    ],
    ["a single typographic quote", "[“", ["a typographic quote", "use straight quotes everywhere"]],
    ["underscores", "[18_400_000]", ["not a valid JSON number", "write 18400000"]],
    ["a plus", "[+1]", ["not a valid JSON number", "write 1"]],
    ["a last point", "[1.]", ["not a valid JSON number", "write 1"]],
    ["a first zero", "[01]", ["not a valid JSON number", "write a decimal number such as 12 or 1.5"]],
    ["an address", "[0x12ab]", ["not a valid JSON number", "put it in quotes"]],
    ["a version", "[1.0.0]", ["not a valid JSON number", "put it in quotes"]],
    ["no last quote", '["a\n]', ["opened here", "close it with a double quote"]],
    ["a backslash", '["C:\\users"]', ["a backslash starts an escape", 'write a literal backslash as "\\\\"']],
    ["a tab", '["\t"]', ["JSON forbids it inside strings", 'write it as "\\t"']],
    [
      "two things open",
      '{"a": [1',
      ['"]}" is missing here', "[: the list begins here", 'close the open brackets with "]}"'],
    ],
    [
      "many things open",
      "[[[[[1",
      ["5 brackets are still open", "[: the list begins here", "use the complete text: this one is cut off"],
    ],
    ["a comment", "[1] /* x", ["everything after this belongs to the comment", 'end it with "*/"']],
  ])("explains %s and says what to do", (_, text, want) => {
    expect(said("a.json", text)).toEqual(want);
  });

  test("names both kinds of quotes in JSON5", () => {
    expect(said("a.json5", "['a\n]")).toEqual(["opened here", "close it with a single quote"]);
    expect(said("a.json5", "[yes]")).toEqual(["not in quotes", "put strings in quotes"]);
  });
});

describe("faults in YAML", () => {
  test.each<[string, string, (string | undefined)[]]>([
    [
      "a string with a tag",
      "a: !!str 1",
      ["values cannot have tags", "remove it and put the value in quotes"],
    ],
    ["an unknown tag", "a: !x 1", ["values cannot have tags", "remove it"]],
    ["a number as a key", "1: a", ["a number, because it has no quotes", 'write "1", in quotes']],
    ["true as a key", "true: a", ["true or false, because it has no quotes", 'write "true", in quotes']],
    ["a list as a key", "? [a]\n: b", ["a list as a key", "write a name before the colon"]],
    ["nothing as a key", ": b", ["nothing as a key", "write a name before the colon"]],
    ["a name instead of an alias", "a: &a {}\nb: { <<: a }", ["not an alias", "write *a"]],
    [
      "a merge key without an alias",
      "b: { <<: a }",
      ["not an alias", "name an anchored object, such as <<: *defaults"],
    ],
    [
      "an alias of a string",
      "a: &a b\nc: { <<: *a }",
      ["an alias of something else", "name an anchored object"],
    ],
    [
      "an alias that is misspelt",
      "a: &token b\nc: *tokn",
      ["no such anchor before this alias", "write *token"],
    ],
    [
      "an alias of nothing",
      "c: *x",
      ["no such anchor before this alias", "put &x before the value it stands for"],
    ],
    [
      "an alias before its anchor",
      "a: *x\nc: &xy 0\nb: &x 1",
      [
        "no such anchor before this alias",
        "&x: the anchor comes later",
        "move the anchor before its aliases",
      ],
    ],
    [
      "an anchor that only begins the same",
      "a: *x\nc: &xy 0",
      ["no such anchor before this alias", "put &x before the value it stands for"],
    ],
    ["an alias of itself", "a: &x [*x]", ["inside the value of &x", "write the value out"]],
    ["an open string", 'a: "b\nc: d\n', ["opened here", "close it with a double quote"]],
    ["an open list", "a: [b\n", ["something is still open here", "close what is open"]],
    ["a tab", "a:\n\tb: 1", ["begins with a tab", "indent with spaces: YAML does not allow tabs"]],
    [
      "a colon in text",
      "a: b: c",
      ["a colon and a space make this a key", "put text that contains a colon in quotes"],
    ],
  ])("explains %s and says what to do", (_, text, want) => {
    expect(said("a.yaml", text)).toEqual(want);
  });

  test("reports the alias that exceeds the limit", () => {
    const report = new Report();
    const lists = [
      "a: &a [1,1,1,1,1,1,1,1,1,1]",
      ..."bcdef".split("").map((name, index) => {
        const before = `*${"abcde"[index]}`;
        return `${name}: &${name} [${Array.from({ length: 10 }, () => before).join()}]`;
      }),
    ];
    parseDocument({ path: "a.yaml", text: lists.join("\n") }, report, parseYaml);
    expect(report.diagnostics.map(({ at }) => at && [textAt(at), at.pointer])).toEqual([["*d", "/e/7"]]);
  });
});

test("the parser calls a file of comments empty in every format", () => {
  for (const [path, text] of [
    ["a.json", "// a\n/* b */\n"],
    ["a.json5", "// a"],
    ["a.yaml", "# a\n\n  # b\n"],
  ] as const) {
    const report = new Report();
    expect(parseDocument({ path, text }, report, parseYaml)).toBeUndefined();
    expect(
      report.diagnostics.map(({ code }) => code),
      path,
    ).toEqual(["empty-config"]);
  }
});
