import { expect, test } from "vitest";
import { event, fn, struct } from "../abi/entries.js";
import { address, run } from "../pipeline/harness.js";

const anonymous = { ...event("Noted", "address who"), anonymous: true };
const total = fn("total", "view", [], ["uint256"]);
const poke = fn("poke", "nonpayable");

test.each<[string, readonly object[], boolean, string]>([
  ["nothing", [], false, 'ABI "A" has no event that can be indexed'],
  ["functions", [total], false, 'ABI "A" has no event that can be indexed'],
  [
    "anonymous events",
    [anonymous, total],
    false,
    'ABI "A" has only anonymous events, which cannot be indexed',
  ],
  [
    "anonymous events where calls would count",
    [anonymous, total],
    true,
    'ABI "A" has only anonymous events, and no function that changes state',
  ],
  [
    "events that cannot be indexed for other reasons",
    [anonymous, event("Ordered", { ...struct("order", ["uint256 size"]), indexed: true })],
    false,
    'ABI "A" has no event that can be indexed',
  ],
])("the compiler says why nothing can be indexed in an ABI of %s", async (_, abi, enableCallHandlers, message) => {
  const instances = [{ abi: "A", address, startBlock: 1, chain: "mainnet" }];
  const config = JSON.stringify({ version: "1", enableCallHandlers, abis: { A: abi }, instances });
  const { diagnostics } = await run("compile", { "c.json": config });
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  expect(errors.map((one) => [one.code, one.message])).toEqual([["nothing-to-index", message]]);
});

test("the compiler indexes the calls of an ABI whose events are all anonymous", async () => {
  const instances = [{ abi: "A", address, startBlock: 1, chain: "mainnet" }];
  const config = { version: "1", enableCallHandlers: true, abis: { A: [anonymous, poke] }, instances };
  expect((await run("compile", { "c.json": JSON.stringify(config) })).ok).toBe(true);
});
