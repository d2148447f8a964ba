import { describe, expect, it } from "vitest";
import { originsOf } from "../../../src/compiler/emit/origins.js";
import { ExpressionMarks } from "../../../src/compiler/emit/weave.js";
import type { UserExpression } from "../../../src/compiler/model/enrichment.js";
import { digString, read } from "../parse/harness.js";

/** An expression that starts `offset` characters into a string of the configuration. */
function expression(text: string, offset = 0, what = "it"): UserExpression {
  const { tree } = read("c.json", JSON.stringify({ x: " ".repeat(offset) + text }));
  return { text, inserted: [], expression: digString(tree, "x"), offset, what };
}

/** Puts expressions in the place of each `$`. */
function weave(template: string, ...expressions: readonly UserExpression[]) {
  const marks = new ExpressionMarks();
  const pieces = template.split("$");
  let text = pieces[0] ?? "";
  for (const [index, one] of expressions.entries())
    text += marks.mark(one, "handleIt") + (pieces[index + 1] ?? "");
  return { path: "src/a.ts", ...marks.weave(text) };
}

describe("the woven text", () => {
  it.each([
    ["no expression", "a\nb", [], "a\nb"],
    ["one expression", "x = $;", ["a.b"], "x = a.b;"],
    ["two expressions on a line", "f($, $)", ["a", "b"], "f(a, b)"],
    ["an expression that looks like a template", "$", ["{{x}} {{#if y}}"], "{{x}} {{#if y}}"],
    ["an expression that looks like a mark", "$ $", ["\u00011\u0002", "b"], "\u00011\u0002 b"],
    ["an expression that looks like a replacement pattern", "$", ["$& $1 $$"], "$& $1 $$"],
    ["an expression of several lines", "x = $;\ny", ["a\n  + b"], "x = a\n  + b;\ny"],
  ])("contains %s", (_, template, expressions, want) => {
    expect(weave(template, ...expressions.map((text) => expression(text))).text).toBe(want);
  });

  it("can contain one expression in two places", () => {
    const marks = new ExpressionMarks();
    const mark = marks.mark(expression("a"), "handleIt");
    expect(marks.weave(`${mark}\n${mark}`).expressions.map(({ start }) => start)).toEqual([0, 2]);
  });

  it("records the handler of each expression and the statement around it", () => {
    const marks = new ExpressionMarks();
    const [a, b] = [marks.mark(expression("a.b"), "handleA"), marks.mark(expression("c"), "handleB")];
    const { expressions } = marks.weave(`x =\n  ${a};\nf(${b}, y);`);
    expect(expressions.map(({ handler, around }) => [handler, around])).toEqual([
      ["handleA", { start: 1, end: 11 }],
      ["handleB", { start: 12, end: 16 }],
    ]);
  });

  it("contains no marks of another text", () => {
    expect(() => new ExpressionMarks().weave("\u00017\u0002")).toThrow("an unknown mark was printed");
  });
});

describe("the origins of woven text", () => {
  it("give the line, column, length and offset of every line of every expression", () => {
    const first = expression("a\n  .b()\n", 3, "the first");
    const second = expression("c", 0, "the second");
    const file = weave("// x\nlet y = $ + $;\n", first, second);
    const origins = originsOf(file);
    const ofFirst = { expression: first.expression, what: "the first", handler: "handleIt" };
    const ofSecond = { expression: second.expression, what: "the second", handler: "handleIt" };
    expect(origins).toEqual([
      { ...ofFirst, line: 2, column: 9, length: 1, offset: 3 },
      { ...ofFirst, line: 3, column: 1, length: 6, offset: 5 },
      { ...ofFirst, line: 4, column: 1, length: 0, offset: 12 },
      { ...ofSecond, line: 4, column: 4, length: 1, offset: 0 },
    ]);
    const lines = file.text.split("\n");
    for (const { line, column, length, offset, expression: source } of origins) {
      const printed = lines[line - 1]?.slice(column - 1, column - 1 + length);
      expect(printed).toBe(source.value.slice(offset, offset + length));
    }
  });

  it("skip the characters that a fix inserted", () => {
    const { expression: source } = expression("a == null && b");
    const strict = { text: "a === null && b", inserted: [4], expression: source, offset: 0, what: "it" };
    const file = weave("$;", strict);
    expect(originsOf(file).map(({ column, length, offset }) => [column, length, offset])).toEqual([
      [1, 4, 0],
      [6, 10, 4],
    ]);
  });
});
