import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { yamlScalar } from "../../../src/compiler/emit/manifest.js";

const plain = [
  "Transfer(indexed address,indexed address,uint256)",
  "Batch((address,uint256[2])[],bool)",
  "Erc20[event.address].balanceOf(event.params.to, event.params.order.maker)",
  "./abis/ERC20.json",
  "mainnet",
  "arbitrum-one",
  "ERC20_a0b86991",
  "a",
  "_foo",
];

// Strings that some YAML reader does not read as strings.
const traps = [
  ..."no NO No yes Yes on off ON y n Y N true false True FALSE null Null NULL ~".split(" "),
  ..."1 0 -1 1e3 1E3 0x1 0o7 010 1_000 1.5 .5 1. .inf -.inf .nan .NaN ._1 +1 12:30:45 2001-12-14 0b1".split(
    " ",
  ),
  ..."<< = - ? : --- ... [] {} & * ! | > % @ ` # a: a:b".split(" "),
  "",
  " ",
  " a",
  "a ",
  "a: b",
  "a #b",
  "- a",
  "? a",
  "'a'",
  '"a"',
  "a\nb",
  "a\tb",
  "a\\b",
  "[a]",
  "{a}",
  "a,",
  "!a",
  "&a",
  "*a",
  "%a",
  "é",
  "😀",
  "\u0000",
  "\u007f",
  "\u0085",
  "\u00a0",
  "\u2028",
  "\ufeff",
  "\ud800",
];

describe.each(["1.1", "1.2"] as const)("YAML %s reads the same string", (version) => {
  it.each([...plain, ...traps])("%j", (text) => {
    const scalar = yamlScalar(text);
    expect(scalar).not.toContain("\n");
    expect(parse(`a: ${scalar}\nb: 1\n`, { version })).toEqual({ a: text, b: 1 });
    expect(parse(`- ${scalar}\n`, { version })).toEqual([text]);
  });
});

it.each(plain)("%s needs no quotes", (text) => {
  expect(yamlScalar(text)).toBe(text);
});

// Characters that a strict reader rejects in a file, quoted or not.
it.each(["\u0000", "\u0007", "\u007f", "\u009f", "\ufffe"])("%j is escaped", (text) => {
  expect(yamlScalar(text)).toMatch(/^[ -~]*$/);
});
