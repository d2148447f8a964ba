import { expect, it, test } from "vitest";
import { deploymentFailure } from "../../../src/cli/deploy/deployment-failure.js";
import type { Compilation } from "../../../src/compiler/compilation.js";
import { locatedString } from "../../../src/compiler/source/located-string.js";

const text = "BigInt.fromI32(1).plus(calls.half!)";
const source = { path: "c.json", text: `"${text}"` };
const expression = locatedString(text, { source, pointer: "/a", start: 0, end: text.length + 2 }, 1);
const piece = { line: 45, column: 10, length: text.length, expression, offset: 0 };
const origins: Compilation["origins"] = new Map([
  ["src/counter.ts", [{ ...piece, what: "the value of Note.value", handler: "handleCounted" }]],
]);

/** An error message as graph-node prints it. */
const told = (what: string): string =>
  `error while executing at wasm backtrace:\t    0: 0x2c1a - <unknown>!~lib/@graphprotocol/graph-ts/index/BigInt#plus\t    1: 0x2d00 - <unknown>!src/counter/handleCounted: ${what} in handler \`handleCounted\` at block #11 (0xab)`;

test.each<[string, string]>([
  [
    "with a backtrace around it",
    told(`Mapping aborted at src/counter.ts, line 45, column ${10 + 23}, with message: unexpected null`),
  ],
  ["alone", `Mapping aborted at src/counter.ts, line 45, column ${10 + 23}, with message: unexpected null`],
])("the report locates the expression from the position of an abort, given %s", (_, fatalError) => {
  const found = deploymentFailure("pools/1.0.0", { fatalError }, origins);
  expect(found).toMatchObject({
    code: "handler-failed",
    message: "a handler failed at the value of Note.value",
    label: "unexpected null",
  });
  expect(source.text.slice(found?.at?.start, found?.at?.end)).toBe("calls.half!");
});

test.each<[string, { fatalError: string; failedHandler?: string }]>([
  [
    "the backtrace names",
    { fatalError: told("Mapping aborted at ~lib/x.ts, line 1, column 1, with no message") },
  ],
  ["the backtrace names after a WASM trap", { fatalError: told("wasm trap: integer divide by zero") }],
  ["the target names", { fatalError: "out of gas", failedHandler: "handleCounted" }],
])("the report lists the expressions of the handler that %s", (_, failure) => {
  const found = deploymentFailure("pools/1.0.0", failure, origins);
  expect(found?.message).toBe("the handler handleCounted failed");
  expect(found?.at).toBeUndefined();
  expect(found?.related).toMatchObject([{ text: "possibly here: the value of Note.value" }]);
});

it("the report finds nothing when the failure is not in a handler of the configuration", () => {
  expect(deploymentFailure("a/1", { fatalError: told("x") }, new Map())).toBeUndefined();
  expect(deploymentFailure("a/1", {}, origins)).toBeUndefined();
  expect(deploymentFailure("a/1", { fatalError: "no space left" }, origins)).toBeUndefined();
});
