import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Asc } from "../../../src/compiler/asc/asc.js";
import { startAsc } from "../../../src/machine/compiler/asc.js";
import { event, fn } from "../abi/entries.js";
import { type Called, type Field, judge } from "./harness.js";

let asc: Asc;
beforeAll(() => {
  asc = startAsc();
});
afterAll(() => asc.close());

const owner = { name: "owner" };
const called: Called = {
  abi: [
    event("E", "address from"),
    fn("owner", "view", [], ["address"]),
    fn("decimals", "view", [], ["uint8"]),
  ],
  calls: { owner },
};
const required: Called = { ...called, calls: { owner: { ...owner, required: true } } };

/** An expression that is null where null cannot be stored: the hint, the code that follows it, and the other calls. */
type Case = readonly [...field: Field, hint: string, ...written: (readonly [string, Called])[]];

const cases: readonly Case[] = [
  [
    "address",
    "calls.owner",
    'mark call "owner" as "required": true and write calls.owner.toHexString(), or write calls.owner === null ? "" : calls.owner!.toHexString()',
    ["calls.owner.toHexString()", required],
    ['calls.owner === null ? "" : calls.owner!.toHexString()', called],
  ],
  [
    "string",
    "calls.owner",
    'mark call "owner" as "required": true and write calls.owner.toHexString(), or write calls.owner === null ? "" : calls.owner!.toHexString()',
  ],
  [
    "address",
    "calls.owner.toHexString()",
    'mark call "owner" as "required": true, or write calls.owner === null ? … : calls.owner!.toHexString()',
    ["calls.owner.toHexString()", required],
    ['calls.owner === null ? "" : calls.owner!.toHexString()', called],
  ],
  [
    "address",
    "calls.owner === null ? null : calls.owner!.toHexString()",
    'write what to store instead of null, such as ""',
    ['calls.owner === null ? "" : calls.owner!.toHexString()', called],
  ],
  [
    "address",
    "event.transaction.to",
    'write event.transaction.to === null ? "" : event.transaction.to!.toHexString()',
    ['event.transaction.to === null ? "" : event.transaction.to!.toHexString()', called],
  ],
  [
    "address",
    "event.transaction.to.toHexString()",
    "write event.transaction.to === null ? … : event.transaction.to!.toHexString()",
  ],
];

describe("the hint for a null that cannot be stored", () => {
  it.each(
    cases.map((one) => [`${one[0]} ${one[1]}`, one] as const),
  )("leads to code that compiles: %s", async (_, one) => {
    const [type, expression, hint, ...written] = one;
    const [found = []] = await judge([[type, expression]], asc, called);
    expect(found.map((one) => [one.code, one.hint])).toEqual([["expression-type", hint]]);
    for (const [text, calls] of written) expect(await judge([[type, text]], asc, calls)).toEqual([[]]);
  });
});
