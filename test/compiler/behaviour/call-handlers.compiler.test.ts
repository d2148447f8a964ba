import { AbiCoder, id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

const abi = [
  "function pay(address to, uint256 value) returns (bool ok)",
  "function pay(address to)",
  "function submit(tuple(address maker, uint8 kind, tuple(bytes4 sel, int64 x) inner) order, uint256[] ids) payable returns (tuple(uint256 shares, address vault) result, bool)",
  "function batch(tuple(address to, uint256 amount)[] items, uint8[][] grid) returns (tuple(int24 tick, bool on)[] ticks, uint256[2])",
  "function bare(uint256, address[], bytes) returns (uint256, string, bytes32 key)",
  "function reset()",
  "function total() view returns (uint256)",
  "function earlier() view returns (uint256)",
  "event Paid(address to)",
];

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({
    abis: { Shop: abi },
    enableCallHandlers: true,
    instances: [
      instance("Shop", a(1), {
        "pay(address,uint256)": {
          calls: {
            before: { name: "earlier" },
            total: {
              name: "total",
              required: true,
              conditions: { pre: "call.outputs.ok", post: "result.value > BigInt.zero()" },
            },
          },
          entities: {
            Payment: {
              "to address": "call.inputs.to.toHexString()",
              "by address": "call.from.toHexString()",
              "left uint256": "calls.total.minus(call.inputs.value)",
              "earlier uint256": "calls.before",
            },
            Customer: [
              {
                id: "call.inputs.to.toHexString()",
                explicit_id: true,
                mapping: { "last uint256": "call.inputs.value", "trigger string": "entity.id" },
              },
            ],
          },
        },
      }),
    ],
  });
});

describe("a call handler", () => {
  test("stores inputs, outputs and the base fields", async () => {
    const played = built.play();
    await played.call(abi, a(1), "pay(address,uint256)", [a(2), 5n], [true], { transaction: id("t") });
    expect(played.all("PayCall")).toEqual([
      {
        id: `${id("t")}-0`,
        block_number: 100n,
        timestamp_: 1_600_001_200n,
        transactionHash_: id("t"),
        contractId_: a(1),
        to: a(2),
        value: 5n,
        output_ok: true,
      },
    ]);
    expect(built.schema.fieldsOf("PayCall").slice(0, 5)).toEqual([
      "id",
      "block_number",
      "timestamp_",
      "transactionHash_",
      "contractId_",
    ]);
  });

  test("stores equal calls separately, also three in one transaction and across transactions", async () => {
    const played = built.play();
    const place = { transaction: id("t") };
    for (let i = 0; i < 3; i++) await played.call(abi, a(1), "reset", [], [], place);
    played.endBlock();
    await played.call(abi, a(1), "reset", [], [], { transaction: id("later") });
    const ids = played.all("ResetCall").map((entity) => entity.id);
    expect(ids.sort()).toEqual([`${id("later")}-0`, `${id("t")}-0`, `${id("t")}-1`, `${id("t")}-2`].sort());
  });

  test("stores overloaded functions separately", async () => {
    const played = built.play();
    await played.call(abi, a(1), "pay(address)", [a(3)]);
    expect(played.all("Pay1Call")).toMatchObject([{ to: a(3) }]);
    expect(played.all("PayCall")).toEqual([]);
  });

  test("flattens struct inputs and outputs", async () => {
    const played = built.play();
    const order = [a(2), 200n, ["0x01020304", -5n]];
    await played.call(abi, a(1), "submit", [order, [1n, 2n]], [[7n, a(8)], true]);
    expect(played.all("SubmitCall")).toMatchObject([
      {
        order_maker: a(2),
        order_kind: 200,
        order_inner_sel: "0x01020304",
        order_inner_x: -5n,
        ids: [1n, 2n],
        output_result_shares: 7n,
        output_result_vault: a(8),
        output_value1: true,
      },
    ]);
  });

  test("stores lists of structs as columns, and encodes deeper lists", async () => {
    const played = built.play();
    const grid = [[1n], [2n, 3n]];
    const ticks = [
      [-1n, true],
      [2n, false],
    ];
    await played.call(
      abi,
      a(1),
      "batch",
      [
        [
          [a(2), 1n],
          [a(3), 2n],
        ],
        grid,
      ],
      [ticks, [4n, 5n]],
    );
    expect(played.all("BatchCall")).toMatchObject([
      {
        items_to: [a(2), a(3)],
        items_amount: [1n, 2n],
        grid: AbiCoder.defaultAbiCoder().encode(["uint8[][]"], [grid]),
        output_ticks_tick: [-1, 2],
        output_ticks_on: [true, false],
        output_value1: [4n, 5n],
      },
    ]);
  });

  test("names unnamed inputs and outputs by their position", async () => {
    const played = built.play();
    await played.call(abi, a(1), "bare", [1n, [a(2)], "0x03"], [4n, "five", id("six")]);
    expect(played.all("BareCall")).toMatchObject([
      {
        param0: 1n,
        param1: [a(2)],
        param2: "0x03",
        output_value0: 4n,
        output_value1: "five",
        output_key: id("six"),
      },
    ]);
  });

  test("exists for every state-changing function and no other", () => {
    const played = built.play();
    expect(() => played.all("TotalCall")).toThrow("no entity type");
    expect(built.schema.isImmutable("ResetCall")).toBe(true);
  });
});

describe("the enrichment of a call", () => {
  const pay = async (ok: boolean, total: bigint | undefined) => {
    const played = built.play();
    played.contracts = () => (total === undefined ? undefined : [total]);
    await played.call(abi, a(1), "pay(address,uint256)", [a(2), 5n], [ok], { transaction: id("t") });
    return played;
  };

  test("sees inputs, outputs, the caller and the entity", async () => {
    const played = await pay(true, 12n);
    expect(played.all("Payment")).toEqual([
      { id: `${id("t")}-0`, by: a(0xf0), earlier: 12n, left: 7n, payCall: `${id("t")}-0`, to: a(2) },
    ]);
    expect(played.all("Customer")).toEqual([
      { id: a(2), last: 5n, payCall: `${id("t")}-0`, trigger: `${id("t")}-0` },
    ]);
    expect(played.calls.map(({ address }) => address)).toEqual([a(1), a(1)]);
  });

  test.each([
    ["pre is false", pay, false, 12n, 1],
    ["post is false", pay, true, 0n, 2],
    ["the required call reverts", pay, true, undefined, 2],
  ] as const)("aborts when %s, and the call's own entity stays", async (_, run, ok, total, calls) => {
    const played = await run(ok, total);
    expect(played.all("Payment")).toEqual([]);
    expect(played.all("Customer")).toEqual([]);
    expect(played.all("PayCall")).toHaveLength(1);
    expect(played.calls).toHaveLength(calls);
  });
});
