import { beforeAll, describe, expect, test } from "vitest";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { answer, bytes, compileProbe, text } from "./probe.js";

let mapping: Mapping;
beforeAll(async () => {
  mapping = await compileProbe();
});

const read = (operation: string, given: string | Uint8Array): string | undefined =>
  answer(
    mapping,
    "texts",
    text(operation),
    bytes(typeof given === "string" ? new TextEncoder().encode(given) : given),
  );

const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("JSON", () => {
  test.each([
    ["null", "null"],
    [" true\n", "true"],
    ["false", "false"],
    ["-0", "#-0"],
    ["1.50e+10", "#1.50e+10"],
    [`${"9".repeat(50)}.1`, `#${"9".repeat(50)}.1`],
    ['"a\\u00e4\\n\\ud83d\\ude00"', "'aä\n😀'"],
    ["[]", "[]"],
    ["[1 , [2]]", "[#1,[#2,],]"],
    // By the bytes of the keys; the last of two counts.
    ['{"b":1,"a":{},"B":2,"ä":3,"b":4}', "{B:#2,a:{},b:#4,ä:#3,}"],
    ['{"\uffff":1,"😀":2}', "{\uffff:#1,😀:#2,}"],
    [nested(127), `${"[".repeat(127)}${"],".repeat(126)}]`],
  ])("reads %s", (given, expected) => {
    expect(read("json", given)).toBe(expected);
    expect(read("try json", given)).toBe(expected);
  });

  const invalid = [
    "",
    "nul",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "[1,]",
    "[1 2]",
    "{a:1}",
    '{"a":1,}',
    '{"a" 1}',
    "'a'",
    '"a',
    '"\n"',
    '"\\x"',
    '"\\ud800"',
    "1 2",
    "\ufeff1",
    "NaN",
    nested(128),
  ];
  test.each(invalid)("refuses %o", (given) => {
    expect(() => read("json", given)).toThrow(DeterministicError);
    expect(read("try json", given)).toBe("error true");
  });

  test("refuses JSON that is not UTF-8 or too large", () => {
    expect(() => read("json", Uint8Array.of(34, 255, 34))).toThrow("UTF-8");
    const large = `"${"x".repeat(10_000_000)}"`;
    expect(() => read("json", large)).toThrow("JSON size exceeds max size of 10000000");
    expect(read("try json", large)).toBe("error true");
  });
});

describe("YAML", () => {
  test.each([
    ["", "null"],
    ["~", "null"],
    ["true", "true"],
    ["yes", "'yes'"],
    ["0x10", "#16"],
    ["-0b11", "#-3"],
    ["0X10", "'0X10'"],
    ["007", "'007'"],
    ["+7", "#7"],
    ["1_000", "'1_000'"],
    ["18446744073709551615", "#18446744073709551615"],
    [`${2n ** 128n}`, "#3.402823669209385e38"],
    ["[1e15, 1e16, 0.00001, 0.000001, -0.0]", "[#1000000000000000.0,#1e16,#0.00001,#1e-6,#-0.0,]"],
    ["1e400", "'1e400'"],
    ["+.inf", "#.inf"],
    ["!!int '0x10'", "#16"],
    ["! 5", "!! #5"],
    ["!!float 1", "#1.0"],
    ["1: a\n'1': b\n1.0: c", "{#1:'a','1':'b',#1.0:'c',}"],
    ["1.0", "#1.0"],
    ["1e3", "#1000.0"],
    ["-.inf", "#-.inf"],
    ["'5'", "'5'"],
    ["- a\n- [1, null]", "['a',[#1,null,],]"],
    ["b: 1\n2: {c: d}\n", "{'b':#1,#2:{'c':'d',},}"],
    ["[a]: 1", "{['a',]:#1,}"],
    ["!thing {a: 1}", "!thing {'a':#1,}"],
    ["x: &n [1]\ny: *n", "{'x':[#1,],'y':[#1,],}"],
    ["!!str 5", "'5'"],
    ["- &n 1\n- *n\n- &n 2\n- *n", "[#1,#1,#2,#2,]"],
  ])("reads %o", (given, expected) => {
    expect(read("yaml", given)).toBe(expected);
    expect(read("try yaml", given)).toBe(expected);
  });

  const bomb = [
    "a0: &a0 [x,x]",
    ...Array.from({ length: 14 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i},*a${i}]`),
  ];
  test.each([
    "[1",
    "a: b: c",
    "a: 1\na: 2",
    "1: a\n0x1: b",
    "? {a: 1}\n: 1\n? {a: 1}\n: 2",
    "18446744073709551616",
    "[-9223372036854775809]",
    "!!int x",
    "a\u0000",
    "!!null x",
    "*unknown",
    "1\n---\n2",
    nested(129),
    bomb.join("\n"),
  ])("refuses %o", (given) => {
    expect(() => read("yaml", given)).toThrow(DeterministicError);
    expect(read("try yaml", given)).toBe("error true");
  });
});
