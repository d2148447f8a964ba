import { deserialize, serialize } from "node:v8";
import { describe, expect, it } from "vitest";
import { longestPacked, packString, unpackString } from "../../../src/compiler/cache/packed-string.js";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { parseJsonSource } from "../../../src/compiler/parse/parse-json-source.js";
import { parseYaml } from "../../../src/compiler/parse/parse-yaml.js";
import type { LocatedString } from "../../../src/compiler/source/source.js";
import type { TreeNode } from "../../../src/compiler/source/tree.js";

/** The first string value of a document. */
function stringIn(path: string, text: string): LocatedString {
  const find = (node: TreeNode | undefined): LocatedString | undefined => {
    if (node?.kind === "string") return node;
    if (node?.kind === "object") return find(node.members[0]?.value);
    return node?.kind === "array" ? find(node.items[0]) : undefined;
  };
  const source = { path, text };
  const report = new Report();
  const found = find(
    path.endsWith(".yaml") ? parseYaml(source, report) : parseJsonSource(source, "json5", report),
  );
  if (!found) throw new Error("there is no string");
  return found;
}

/** The place of every part of a string, ends out of range included. */
function parts(string: LocatedString): unknown[] {
  const all: unknown[] = [];
  for (let start = -1; start <= string.value.length + 1; start++)
    for (let end = -1; end <= string.value.length + 1; end++) all.push(string.part(start, end));
  return all;
}

describe("a packed string", () => {
  it.each([
    ["that is written literally", "c.json", '{ "a": "event.params.to" }'],
    ["with escapes", "c.json", '["a\\n\\u0041\\\\b\\ud83d\\ude00c"]'],
    ["without characters", "c.json", '[""]'],
    ["of JSON5, over two lines", "c.json5", "{ a: 'one\\\n two\\x41' }"],
    ["of YAML, folded", "c.yaml", "a: >\n  one\n  two\n\n  three\n"],
    ["of YAML, literal and indented", "c.yaml", "a:\n    - |\n      one\n        two\n"],
    ["of YAML, plain over lines", "c.yaml", "a: one\n  two\n  three\n"],
    ["of YAML, in single quotes", "c.yaml", "a: 'it''s'\n"],
    ["of YAML, in double quotes", "c.yaml", 'a: "tab\\tand \\\n   more"\n'],
  ])("%s keeps the place of every part", (_, path, text) => {
    const string = stringIn(path, text);
    const back = unpackString(deserialize(serialize(packString(string))));
    expect([back.value, back.at]).toEqual([string.value, string.at]);
    expect(parts(back)).toEqual(parts(string));
  });

  it("needs no table when it is written literally", () => {
    expect(packString(stringIn("c.json", '["abc"]')).starts).toBe(2);
  });

  it("is not made of a very long string", () => {
    const long = stringIn("c.json", JSON.stringify(["x".repeat(longestPacked + 1)]));
    expect(() => packString(long)).toThrow("too long");
  });
});
