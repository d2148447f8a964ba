import { describe, expect, it } from "vitest";
import type { JsonEntry } from "../abi/abi-of.js";
import { event, fn } from "../abi/entries.js";
import { address, finding, run } from "../pipeline/harness.js";

const abi: readonly JsonEntry[] = [
  event("E", "address who", "uint256 amount"),
  fn("total", "view", [], ["uint256"]),
  fn("of", "view", ["uint256 value"], ["uint256"]),
  fn("collect", "nonpayable", ["address who"], ["uint256"]),
];

type Handler = {
  readonly calls: Readonly<Record<string, object>>;
  readonly entities?: Readonly<Record<string, object>>;
};

const kept = { A: { "a uint256": "event.params.amount" } };

async function warnings(handler: Handler, more: readonly object[] = [], declared: unknown = abi) {
  const enrich = { handlers: { E: { entities: kept, ...handler } } };
  const instance = { abi: "V", address, startBlock: 1, chain: "mainnet", enrich };
  const text = JSON.stringify({ version: "1", abis: { V: declared }, instances: [instance, ...more] });
  const { diagnostics } = await run("compile", { "c.json": text });
  return { diagnostics, found: diagnostics.map((one) => finding(one).replace(/ \d+:\d+/, "")) };
}

const total = { name: "total" };

describe("a call whose result is unused", () => {
  it.each<[string, Handler]>([
    ["at all", { calls: { x: total } }],
    ["although a parameter has its name", { calls: { amount: total } }],
    ["and no stored entity requires it", { calls: { x: { ...total, required: true } }, entities: {} }],
    [
      "except its own condition, and nothing is stored",
      { calls: { x: { ...total, conditions: { post: "!calls.x_reverted" } } }, entities: {} },
    ],
  ])("is reported when nothing reads it %s", async (_, handler) => {
    const [name = ""] = Object.keys(handler.calls);
    const { found, diagnostics } = await warnings(handler);
    expect(found).toEqual([`warning call-unread "${name}"`]);
    expect(diagnostics.map(({ message, hint }) => [message, hint])).toEqual([
      [
        `nothing reads the result of call "${name}"`,
        `store calls.${name} in a field of an entity, or remove the call`,
      ],
    ]);
  });

  it("is reported apart from a call that only an unused one reads", async () => {
    const { found } = await warnings({
      calls: { x: total, y: { name: "of", params: "calls.x === null ? event.params.amount : calls.x!" } },
    });
    expect(found).toEqual(['warning call-unread "y"']);
  });

  it("is reported once for instances that share it", async () => {
    const enrich = { handlers: { E: { calls: { x: total }, entities: kept } } };
    const other = { abi: "V", address: address.replace("a1", "a2"), startBlock: 1, chain: "mainnet", enrich };
    const { found } = await warnings({ calls: { x: total } }, [other]);
    expect(found).toEqual(['warning call-unread "x"']);
  });

  it.each<[string, Handler]>([
    ["is stored in a field", { calls: { x: total }, entities: { A: { "a uint256": "calls.x" } } }],
    [
      "sets a field with whether it reverted",
      { calls: { x: total }, entities: { A: { "a bool": "calls.x_reverted" } } },
    ],
    [
      "is part of an id",
      {
        calls: { x: { ...total, required: true } },
        entities: { A: [{ id: "calls.x.toString()", mapping: { "a bool": "true" } }] },
      },
    ],
    [
      "is an argument of a call",
      {
        calls: { x: { ...total, required: true }, y: { name: "of", params: "calls.x" } },
        entities: { A: { "a uint256": "calls.y" } },
      },
    ],
    [
      "is in the condition of a different call",
      {
        calls: { x: total, y: { ...total, conditions: { pre: "!calls.x_reverted" } } },
        entities: { A: { "a uint256": "calls.y" } },
      },
    ],
    [
      "is in its own condition",
      { calls: { x: { ...total, conditions: { post: "result.value == event.params.amount" } } } },
    ],
    [
      "is unread, but has a condition before it",
      { calls: { x: { ...total, conditions: { pre: "event.params.amount != BigInt.zero()" } } } },
    ],
    ["is unread, but must not revert", { calls: { x: { ...total, required: true } } }],
    [
      "is unread, but a different call depends on it",
      {
        calls: { x: total, y: { ...total, depends_on: ["x"] } },
        entities: { A: { "a uint256": "calls.y" } },
      },
    ],
  ])("is not reported when it %s", async (_, handler) => {
    expect((await warnings(handler)).found).toEqual([]);
  });

  it("is not reported beside an error", async () => {
    const { found } = await warnings({ calls: { x: total }, entities: { A: { "a uint256": "calls.x." } } });
    expect(found.map((line) => line.split(" ")[1])).toEqual(["expression-syntax"]);
  });
});

describe("a call of a function that changes state", () => {
  const call = { name: "collect", params: "event.params.who" };
  const handler = { calls: { x: call }, entities: { A: { "a uint256": "calls.x" } } };

  it("is reported: an eth_call changes nothing", async () => {
    const { found, diagnostics } = await warnings(handler);
    expect(found).toEqual(['warning call-changes-state "collect"']);
    expect(diagnostics[0]).toMatchObject({
      message: 'function "collect" would change state, but mappings only read',
      label: "it is nonpayable",
      related: [{ text: "the function" }],
      hint: "call a view function instead, if the contract has one",
    });
  });

  it("is not reported when the ABI does not state the mutability", async () => {
    const silent = abi.map(({ stateMutability, ...entry }) => entry);
    expect((await warnings(handler, [], silent)).found).toEqual([]);
  });

  it("is recognised in an ABI of the old format", async () => {
    const old = abi.map(({ stateMutability, ...entry }) => ({ ...entry, constant: false }));
    expect((await warnings(handler, [], old)).found).toEqual(['warning call-changes-state "collect"']);
  });
});
