// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are expressions of another language

import { describe, expect, it } from "vitest";
import { parseExpression, parseExpressionList } from "../../../src/compiler/syntax/parse-expression.js";
import type { ExpressionResult, ParsedExpression } from "../../../src/compiler/syntax/parsed-expression.js";

function value<T>(result: ExpressionResult<T>): T {
  if (result.kind === "syntax-error") throw new Error(result.error.reason);
  return result.value;
}

/** The text that an error points at. */
function blamed(text: string, result: ExpressionResult<unknown>): string {
  if (result.kind === "parsed") throw new Error(`${text} was accepted`);
  const { offset, length } = result.error;
  expect(offset).toBeGreaterThanOrEqual(0);
  expect(offset).toBeLessThanOrEqual(text.length);
  expect(length).toBeGreaterThanOrEqual(0);
  return text.slice(offset, offset + length);
}

describe("one expression", () => {
  it.each([
    ["a", "a"],
    ["  a\n", "a"],
    ["event.params.to.toHexString()", "event.params.to.toHexString()"],
    ["/* c */ a /* d */", "a"],
    ["a // c", "a"],
    ["a //", "a"],
    ["// c\na", "a"],
    ["a /* ; ) */ + b", "a /* ; ) */ + b"],
    ["a\n  + b", "a\n  + b"],
    ["a\r\n+ b", "a\r\n+ b"],
    ["(a, b)", "(a, b)"],
    ['"a; b"', '"a; b"'],
    ['"*/"', '"*/"'],
    ['"//"', '"//"'],
    ['")"', '")"'],
    ["'\\''", "'\\''"],
    ["`a ${b} ; )`", "`a ${b} ; )`"],
    ["`\n`", "`\n`"],
    ["calls.x!", "calls.x!"],
    ["a as string", "a as string"],
    ["<string>a", "<string>a"],
    ["changetype<Address[]>(a)", "changetype<Address[]>(a)"],
    ["a ? b : c", "a ? b : c"],
    [
      "a.map<string>((x: Address): string => x.toHexString())",
      "a.map<string>((x: Address): string => x.toHexString())",
    ],
    ["(x: i32): i32 => { return x; }", "(x: i32): i32 => { return x; }"],
    ["a => a", "a => a"],
    ["a = b", "a = b"],
    ["[a, b]", "[a, b]"],
    ["{}", "{}"],
    ["-1", "-1"],
    ["é", "é"],
  ])("is found in %j", (text, want) => {
    const parsed = value(parseExpression(text));
    expect(parsed.text).toBe(want);
    expect(text.slice(parsed.offset, parsed.offset + want.length)).toBe(want);
  });
});

const notOne: readonly (readonly [text: string, blamed: string])[] = [
  ["", ""],
  [" ", " "],
  ["/* c */", ""],
  ["// c", ""],
  ["a; b", ";"],
  ["a;", ";"],
  [";", ";"],
  ["a, b", ","],
  ["a); //", ""],
  ["a) //", ""],
  ["a)", ""],
  ["a /*", ""],
  ["(a", ""],
  ["a]", "]"],
  ["a}", "}"],
  ["a.", ""],
  ["a +", ""],
  ["a b", "b"],
  ["a\nb", "b"],
  ['"a" "b"', '"b"'],
  ['"a', ""],
  ["`a", ""],
  ["`${a`", ""],
  ["let a = b", "a"],
  ["return a", "return"],
  ["if (a) b", "if"],
  ["function f(): void {} g()", "g"],
  ["import('a'); b", ";"],
  ["...a", ""],
  ["a\u2028b", "\u2028"],
];

/** Texts that close the code printed around them and open it again. */
const escapes: readonly string[] = [
  "a); b = (c",
  "a)\nb = (c",
  "a) + (b",
  "a)(b",
  "a)\n(b",
  "a)[0](b",
  "a) as (b",
  "a), (b",
  "a) ? (b) : (c",
  "a)`${b}`(c",
  "a) => (b",
];
const listEscapes: readonly string[] = [
  "a); f(b",
  "a)\nf(b",
  "a), f(b",
  "a)(b",
  "a).x(b",
  "a) + f(b",
  "a)[0](b",
  "a)!(b",
  "a)`${b}`(c",
];

describe("a text that is not one expression", () => {
  it.each(notOne)("is refused at its place: %j", (text, want) => {
    expect(blamed(text, parseExpression(text))).toBe(want);
  });
});

describe("a text that ends the expression and starts a new one", () => {
  it.each(escapes)("is refused: %j", (text) => {
    expect(parseExpression(text).kind).toBe("syntax-error");
  });

  it.each(listEscapes)("is refused in a list: %j", (text) => {
    expect(parseExpressionList(text).kind).toBe("syntax-error");
  });

  it.each([...escapes, "a; b"])("is blamed on the character that ends it: %j", (text) => {
    expect(blamed(text, parseExpression(text))).toMatch(/^[);]/);
  });

  it.each(listEscapes)("is blamed on the character that ends it in a list: %j", (text) => {
    expect(blamed(text, parseExpressionList(text))).toMatch(/^[);]/);
  });
});

it("an expression is refused beyond the length limit", () => {
  const text = `${"1+".repeat(50_000)}1`;
  expect(blamed(text, parseExpression(text))).toBe("1");
  expect(value(parseExpression(`"${"x".repeat(99_000)}"`)).text).toHaveLength(99_002);
});

describe("a list of expressions", () => {
  it.each([
    ["a", ["a"]],
    ["a, b", ["a", "b"]],
    ["a,b,", ["a", "b"]],
    [" a ,\n/* , */ b // c", ["a", "b"]],
    ["(a, b), c", ["(a, b)", "c"]],
    ['"a,b", `,`', ['"a,b"', "`,`"]],
    ["f(a, b), [c, d]", ["f(a, b)", "[c, d]"]],
    ["(x: i32, y: i32): i32 => x, z", ["(x: i32, y: i32): i32 => x", "z"]],
    ["a < b, c > d", ["a < b", "c > d"]],
  ])("is read: %j", (text, want) => {
    const parsed = value(parseExpressionList(text));
    expect(parsed.map((one) => one.text)).toEqual(want);
    expect(parsed.map(({ offset, text: { length } }) => text.slice(offset, offset + length))).toEqual(want);
  });

  it.each([
    ["", ""],
    ["a; b", ";"],
    ["a,, b", ","],
    [", a", ","],
    ["...a", "..."],
    ["a, ...b", "..."],
    ["a)", ""],
    ["a /*", ""],
  ])("is refused: %j", (text, want) => {
    expect(blamed(text, parseExpressionList(text))).toBe(want);
  });
});

/** Free names, whose places are checked, and paths, with `=` before a path that is the whole expression. */
function mentions(text: string): { names: string[]; paths: string[] } {
  const { freeNames, paths }: ParsedExpression = value(parseExpression(text));
  for (const { name, offset } of [...freeNames, ...paths.flatMap(({ names }) => names)]) {
    expect(text.slice(offset, offset + name.length)).toBe(name);
  }
  return {
    names: freeNames.map(({ name }) => name),
    paths: paths.map(({ names, isWhole }) => (isWhole ? "=" : "") + names.map(({ name }) => name).join(".")),
  };
}

describe("the names that an expression mentions", () => {
  it.each([
    ["event.params.to", ["event"], ["=event.params.to"]],
    ["  event . params . to ", ["event"], ["=event.params.to"]],
    ["calls.x!.y", ["calls"], ["=calls.x.y"]],
    ["calls.x!", ["calls"], ["calls.x"]],
    ["calls.token0!.toHexString()", ["calls"], ["calls.token0.toHexString"]],
    ["event.params.x[0].y", ["event"], ["event.params.x"]],
    ["a + b.c", ["a", "b"], ["a", "b.c"]],
    ["(calls).x", ["calls"], ["=calls.x"]],
    ["((calls.x))", ["calls"], ["=calls.x"]],
    ["(calls.x)!.y", ["calls"], ["=calls.x.y"]],
    ["((calls)!.x!).y + b", ["calls", "b"], ["calls.x.y", "b"]],
    ["(event).receipt!", ["event"], ["event.receipt"]],
    ["(event as ethereum.Event).receipt!.x", ["event", "ethereum"], ["=event.receipt.x", "ethereum"]],
    ["(<ethereum.Event>event).receipt!.x", ["ethereum", "event"], ["ethereum", "=event.receipt.x"]],
    ["calls.x as string", ["calls"], ["calls.x"]],
    ["(calls.x as A).y", ["calls", "A"], ["=calls.x.y", "A"]],
    ["(a ? calls.x : calls.y).z", ["a", "calls", "calls"], ["a", "calls.x.z", "calls.y.z"]],
    ["a ? calls.x : calls.y", ["a", "calls", "calls"], ["a", "calls.x", "calls.y"]],
    ["(a, event).receipt", ["a", "event"], ["a", "event.receipt"]],
    ["(event.params.x).concat(a)", ["event", "a"], ["event.params.x.concat", "a"]],
    ["f(a, calls.b)", ["f", "a", "calls"], ["f", "a", "calls.b"]],
    ["`${calls.a}${b}`", ["calls", "b"], ["calls.a", "b"]],
    ["'calls.a'", [], []],
    ["{ event: a }", ["a"], ["a"]],
    ["changetype<Address[]>(a)", ["changetype", "Address", "a"], ["changetype", "Address", "a"]],
    ["<BigInt>a", ["BigInt", "a"], ["BigInt", "a"]],
    ["a as ethereum.Value", ["a", "ethereum"], ["a", "ethereum"]],
    ["a.map<string>((x) => x.b + c)", ["a", "c"], ["a.map", "c"]],
    ["(x) => { let y = x; return y + z; }", ["z"], ["z"]],
    ["this.x", [], []],
    // The event inside the function is not the one outside.
    ["event.receipt!.logs.map<string>((event) => event.x)", ["event"], ["event.receipt.logs.map"]],
  ])("are found in %j", (text, names, paths) => {
    expect(mentions(text)).toEqual({ names, paths });
  });
});
