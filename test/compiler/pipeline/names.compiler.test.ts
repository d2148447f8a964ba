import { describe, expect, it } from "vitest";
import { asc } from "../../support/compiler/asc.js";
import { event, fn } from "../abi/entries.js";
import { words } from "../abi/words.js";
import { address, findings, withHandler } from "./harness.js";

const long = "a".repeat(60);

/** The findings other than notes about names. */
async function complaints(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { found, files: emitted } = await findings("check", files, { asc });
  const others = found.filter((line) => !/^note (?:entity|field)-renamed|^warning id-is-reserved/.test(line));
  if (others.length === 0) expect(emitted.size).toBeGreaterThan(0);
  return others;
}

const entity = { "a string": '"x"' };

describe("the name of an entity", () => {
  it("can be any of these, stored once or several times by a handler", async () => {
    const names = [
      "balance",
      "log",
      "entity",
      "event",
      "calls",
      "result",
      "contract",
      "Vault",
      "Deposit1",
    ].concat(["DepositEvent", "store", "BigInt", "Array", "_", "_a", "a_", long, "A"]);
    const calls = { x: { name: "total" } };
    const items = [
      { id: '"1"', explicit_id: true, mapping: entity },
      { id: '"2"', mapping: entity },
    ];
    const all = (how: object): Readonly<Record<string, object>> =>
      Object.fromEntries(names.map((name) => [name, how]));
    expect(await complaints(withHandler({ calls, entities: all(items) }))).toEqual([]);
    expect(await complaints(withHandler({ calls, entities: all(entity) }))).toEqual([]);
    // Alone, a name has no other entity beside it.
    expect(await complaints(withHandler({ calls, entities: { event: items } }))).toEqual([]);
  });

  it("can be any of these words, all in one schema", async () => {
    const names = words.filter((name) => /^[A-Za-z_]\w*$/.test(name));
    const entities = Object.fromEntries(names.map((name) => [name, entity]));
    expect(await complaints(withHandler({ entities }))).toEqual([]);
  });
});

describe("the name of a field", () => {
  it("can be any of these words", async () => {
    const names = words.filter((name) => /^[A-Za-z_]\w*$/.test(name));
    const fields = Object.fromEntries(names.map((name) => [`${name} string`, '"x"']));
    expect(await complaints(withHandler({ entities: { A: fields, Deposit: fields } }))).toEqual([]);
  });
});

describe("the name of a call", () => {
  const usable = words.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name));
  it("can be any of these words, or is refused", async () => {
    const calls = Object.fromEntries(usable.map((name) => [name, { name: "total" }]));
    const { found } = await findings("compile", withHandler({ calls, entities: {} }));
    const refused = found.map((line) => line.replace(/^error reserved-call-name 7:\d+ "(.*)"$/, "$1"));
    expect(refused.filter((name) => !usable.includes(name))).toEqual([]);
    for (const name of refused) delete calls[name];
    expect(Object.keys(calls).length).toBeGreaterThan(100);
    const fields = Object.fromEntries(
      Object.keys(calls).map((name, index) => [`f${index} uint256`, `calls.${name}`]),
    );
    expect(await complaints(withHandler({ calls, entities: { A: fields } }))).toEqual([]);
  });
});

it("the compiler compiles events, functions and parameters with any of these names", async () => {
  const abi = words.flatMap((name) => [
    event(name, ...words.slice(0, 12).map((word) => `uint256 ${word}`), `address ${name}`),
    fn(name, "nonpayable", [`address ${name}`], [`uint256 ${name}`]),
  ]);
  const config = {
    version: "1",
    enableCallHandlers: true,
    abis: { A: abi },
    instances: [{ abi: "A", address, startBlock: 1, chain: "mainnet" }],
  };
  const files = { "c.json": JSON.stringify(config) };
  const { ok, found } = await findings("build", files, { asc });
  expect(found.filter((line) => line.startsWith("error"))).toEqual([]);
  expect(ok).toBe(true);
});
