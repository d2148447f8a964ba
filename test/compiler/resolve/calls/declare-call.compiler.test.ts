import { describe, expect, it } from "vitest";
import type { JsonEntry } from "../../abi/abi-of.js";
import { event, fn, struct } from "../../abi/entries.js";
import { address, findings, order, vault } from "../../pipeline/harness.js";
import { declare, declaring } from "../harness.js";

const nested: readonly JsonEntry[] = [
  event(
    "Nested",
    struct("outer", ["uint256 a", struct("inner", ["address who", "uint8 fee"])]),
    struct("many", ["address who"], "[]"),
  ),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("large", "view", ["uint256 kind"], ["uint256"]),
];
const namesakes: readonly JsonEntry[] = [
  event("E", "address to", "address to"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
];
const twins: readonly JsonEntry[] = [
  event("E", order),
  event("E", order, "address who"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
];

describe("a call declared in the manifest", () => {
  it.each([
    ["no arguments", { name: "total" }, "Deposit", "Vault[event.address].total()"],
    [
      "a parameter",
      { name: "balanceOf", params: "event.params.who" },
      "Deposit",
      "Vault[event.address].balanceOf(event.params.who)",
    ],
    [
      "white space",
      { name: "balanceOf", params: " event . params\n.who " },
      "Deposit",
      "Vault[event.address].balanceOf(event.params.who)",
    ],
    [
      "parentheses",
      { name: "balanceOf", params: "((event).params.who)" },
      "Deposit",
      "Vault[event.address].balanceOf(event.params.who)",
    ],
    [
      "the contract itself",
      { name: "balanceOf", params: "event.address" },
      "Deposit",
      "Vault[event.address].balanceOf(event.address)",
    ],
    [
      "a plain address as source",
      { name: "total", source: address.toUpperCase().replace("X", "x") },
      "Deposit",
      `Vault[${address}].total()`,
    ],
    [
      "an address in the code",
      { name: "balanceOf", params: `Address.fromString("${address}")` },
      "Deposit",
      `Vault[event.address].balanceOf(${address})`,
    ],
    [
      "a source from the event",
      { name: "total", source: "event.params.vault" },
      "Created",
      "Vault[event.params.vault].total()",
    ],
    [
      "a different ABI",
      { abi: "Other", name: "total", source: "event.params.vault" },
      "Created",
      "Other[event.params.vault].total()",
    ],
    [
      "a narrower number",
      { name: "large", params: "event.params.kind" },
      "Ordered",
      "Vault[event.address].large(event.params.kind)",
    ],
    [
      "the only overload in use",
      { name: "twice(address)", params: "event.params.who" },
      "Deposit",
      "Vault[event.address].twice(event.params.who)",
    ],
  ])("can use %s", async (_, call, on, want) => {
    expect(await declare(call, on)).toEqual({ call: want, specVersion: "1.2.0", found: [] });
  });

  it.each([
    [
      "a member",
      { name: "balanceOf", params: "event.params.order.maker" },
      "Ordered",
      vault,
      "balanceOf(event.params.order.maker)",
    ],
    [
      "a member of a member",
      { name: "balanceOf", params: "event.params.outer.inner.who" },
      "Nested",
      nested,
      "balanceOf(event.params.outer.inner.who)",
    ],
  ])("can use %s of a struct, with a newer specVersion", async (_, call, on, abi, want) => {
    expect(await declare(call, on, abi)).toEqual({
      call: `Vault[event.address].${want}`,
      specVersion: "1.4.0",
      found: [],
    });
  });
});

const because = (place: string, reason: string): string => `warning not-declarable ${place}: ${reason}`;
const more = "neither an event parameter nor an address";

describe("a call made in the handler", () => {
  it.each([
    [
      "in a call handler",
      { name: "total" },
      "function poke",
      vault,
      because("true", "only event handlers can have declared calls"),
    ],
    [
      "a member of the source",
      { name: "total", source: "event.transaction.from" },
      "Deposit",
      vault,
      because("event.transaction.from", more),
    ],
    [
      "a number as the source",
      { name: "total", source: "event.params.amount" },
      "Deposit",
      vault,
      because("event.params.amount", "uint256 where an address is needed"),
    ],
    [
      "an operation",
      { name: "large", params: "event.params.amount.plus(event.block.number)" },
      "Deposit",
      vault,
      because("event.params.amount.plus(event.block.number)", more),
    ],
    [
      "a method",
      { name: "large", params: "event.params.amount.neg()" },
      "Deposit",
      vault,
      because("event.params.amount.neg()", more),
    ],
    [
      "the block",
      { name: "large", params: "event.block.number" },
      "Deposit",
      vault,
      because("event.block.number", more),
    ],
    [
      "a number",
      { name: "large", params: "BigInt.fromI32(1)" },
      "Deposit",
      vault,
      because("BigInt.fromI32(1)", more),
    ],
    [
      "an item of a list",
      { name: "large", params: "event.params.sizes[0]" },
      "Ordered",
      vault,
      because("event.params.sizes[0]", more),
    ],
    [
      "a wider number",
      { name: "small", params: "event.params.kind.toI32()" },
      "Created",
      vault,
      because("event.params.kind.toI32()", more),
    ],
    [
      "wider bytes",
      { name: "byShort", params: "event.params.hash" },
      "Ordered",
      vault,
      because("event.params.hash", "bytes32 where bytes4 is needed"),
    ],
    [
      "a parameter without a name",
      { name: "balanceOf", params: "event.params.param0" },
      "Unnamed",
      vault,
      because("event.params.param0", "not a named parameter"),
    ],
    [
      "the second of two parameters with the same name",
      { name: "balanceOf", params: "event.params.to1" },
      "E",
      namesakes,
      because("event.params.to1", "the second of two parameters with the same name"),
    ],
    [
      "a struct of an overloaded event",
      { name: "balanceOf", params: "event.params.order.maker" },
      "E((address,uint256))",
      twins,
      because("event.params.order.maker", "a member of a struct of an overloaded event"),
    ],
  ])("names the reason: %s", async (_, call, on, abi, want) => {
    expect(await declare(call, on, abi)).toEqual({ call: undefined, specVersion: "0.0.6", found: [want] });
  });

  it("names the reason when a later overload is called", async () => {
    const calls = {
      first: { name: "twice(uint256)", params: "event.params.amount" },
      x: { name: "twice(address)", params: "event.params.who", declared: true },
    };
    const config = JSON.parse(declaring({}, "Deposit")["c.json"] ?? "");
    config.instances[0].enrich.handlers = { Deposit: { calls, entities: {} } };
    const { diagnostics } = await findings("compile", { "c.json": JSON.stringify(config) });
    const [found] = diagnostics.filter(({ code }) => code === "not-declarable");
    expect(found?.label).toBe("a declared call would use the first function with this name");
    const first = vault.findIndex(({ name }) => name === "twice");
    expect(found?.related.map(({ at }) => at.pointer)).toContain(`/abis/Vault/${first}/name`);
  });

  it("names the reason when an argument is the hash of an indexed string", async () => {
    const abi = [
      event("E", "indexed string label"),
      fn("byShort", "view", ["bytes4 hash"], ["uint256"]),
      fn("byHash", "view", ["bytes32 hash"], ["uint256"]),
    ];
    const params = "event.params.label";
    expect((await declare({ name: "byHash", params }, "E", abi)).call).toBe(
      "Vault[event.address].byHash(event.params.label)",
    );
    expect((await declare({ name: "byShort", params }, "E", abi)).found).toEqual([
      because("event.params.label", "bytes32 where bytes4 is needed"),
    ]);
  });

  it("reports nothing about a call with declare set to false", async () => {
    expect(await declare({ name: "total", declared: false }, "Deposit")).toEqual({
      call: undefined,
      specVersion: "0.0.6",
      found: [],
    });
  });
});
