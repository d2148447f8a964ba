import { AbiCoder, Interface, keccak256 } from "ethers";
import { beforeAll, expect, test } from "vitest";
import { decodeValues } from "../../../src/runtime/abi/decode-values.js";
import type { ContractCall, EthereumValue, EventTrigger } from "../../../src/runtime/values.js";
import { compileMapping } from "../../../src/runtime/wasm/compile-mapping.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import type { Entity } from "../../../src/subgraph/schema/entity.js";
import { a, buildScenario, instance } from "../../compiler/behaviour/harness.js";
import { eventOf, log, testWorld, uint } from "./probe.js";

const abi = [
  "event Paid(address indexed payer, uint256 amount, int24 tick, tuple(uint8 kind, bytes4 selector)[] items)",
  "event Asked(uint256 id)",
  "function priceOf(uint256 id) view returns (uint256 price)",
];
const events = new Interface(abi);

let mapping: Mapping;
beforeAll(async () => {
  const { files } = await buildScenario({
    abis: { Shop: abi },
    instances: [
      instance("Shop", a(1), {
        Paid: {
          entities: {
            Payment: {
              "amount fixed": "event.params.amount.toBigDecimal() / BigDecimal.fromString('1e6')",
              "double uint256": "event.params.amount.times(BigInt.fromI32(2))",
              "tick int24": "event.params.tick",
              "hash bytes32": "Bytes.fromByteArray(crypto.keccak256(event.params.payer))",
              "count int32": "event.params.items.length",
              "kind uint8": "event.params.items[1].kind",
              "selector bytes4": "event.params.items[0].selector",
              "sure uint256": "event.params.amount.minus(BigInt.fromString('1000'))",
            },
          },
        },
        Asked: {
          calls: { price: { name: "priceOf", params: "event.params.id", required: true } },
          entities: {
            Price: { "price uint256": "calls.price", "share uint256": "calls.price / event.params.id" },
          },
        },
      }),
    ],
  });
  const wasm = [...files].find(([path]) => path.endsWith(".wasm"))?.[1];
  if (typeof wasm !== "object") throw new Error(`no WASM in ${[...files.keys()].join(", ")}`);
  mapping = compileMapping(wasm);
});

function handlerOf(event: string): string {
  const found = [...mapping.exports].find((name) => name.startsWith("handle") && name.includes(event));
  if (!found) throw new Error(`no handler of ${event} in ${[...mapping.exports].join(", ")}`);
  return found;
}

function triggerOf(event: string, values: readonly unknown[]): EventTrigger {
  const inputs = events.getEvent(event)?.inputs ?? [];
  const decoded = decodeValues(inputs, AbiCoder.defaultAbiCoder().encode(inputs, values));
  const params = inputs.map((type, i) => ({ name: type.name, value: decoded[i] as EthereumValue }));
  return { ...eventOf(), params };
}

test("a mapping that graphloom built saves its entities", () => {
  const world = testWorld();
  const items = [
    [3n, "0x01020304"],
    [255n, "0x00000000"],
  ];
  mapping.run(handlerOf("Paid"), triggerOf("Paid", [a(7), 1_500_000n, -5n, items]), world);
  const saved = world.done.find(([, type]) => type === "Payment")?.[3] as Entity;
  expect(Object.fromEntries(saved)).toMatchObject({
    amount: { kind: "BigDecimal", value: { digits: 15n, exponent: -1 } },
    double: { kind: "BigInt", value: 3_000_000n },
    tick: { kind: "Int", value: -5 },
    hash: { kind: "Bytes", value: keccak256(a(7)) },
    count: { kind: "Int", value: 2 },
    kind: { kind: "Int", value: 255 },
    selector: { kind: "Bytes", value: "0x01020304" },
    sure: { kind: "BigInt", value: 1_499_000n },
  });
});

test("a mapping that graphloom built reads contracts, and aborts without their answers", () => {
  const asked: ContractCall[] = [];
  const answering = (values: readonly EthereumValue[] | undefined) =>
    testWorld({
      call: (call) => {
        asked.push(call);
        return values;
      },
    });
  const world = answering([uint(90)]);
  const trigger = triggerOf("Asked", [9n]);
  mapping.run(handlerOf("Asked"), trigger, world);
  const saved = world.done.find(([, type]) => type === "Price")?.[3] as Entity;
  expect(saved.get("price")).toEqual({ kind: "BigInt", value: 90n });
  expect(saved.get("share")).toEqual({ kind: "BigInt", value: 10n });
  expect(asked).toEqual([
    {
      contract: "Shop",
      address: log.address,
      name: "priceOf",
      signature: "priceOf(uint256):(uint256)",
      args: [uint(9)],
    },
  ]);
  expect(() => mapping.run(handlerOf("Asked"), triggerOf("Asked", [0n]), answering([uint(90)]))).toThrow(
    "by zero",
  );
});
