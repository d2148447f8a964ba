import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const abi = [
  "event Transfer(address from, address to, uint256 value)",
  "event Deposit(address who, uint256 amount)",
  "event Withdraw(address who, uint256 amount)",
  "function total() view returns (uint256)",
];
const amount = "event.params.amount";
const account = (id: string, mapping: object) => [{ id, explicit_id: true, mapping }];

const handlers = {
  Transfer: {
    entities: {
      EnrichmentBalance: { "value uint256": "event.params.value", "parent string": "entity.id" },
      Side: [
        { id: '"out"', mapping: { "who address": "event.params.from.toHexString()" } },
        {
          id: '"in" + "-" + event.params.value.toString()',
          mapping: { "who address": "event.params.to.toHexString()" },
        },
      ],
    },
  },
  Deposit: {
    entities: {
      Account: account("event.params.who.toHexString()", {
        "deposited uint256": amount,
        "last string": '"deposit"',
      }),
      Movement: { "amount uint256": amount, "isDeposit bool": "true" },
    },
  },
  Withdraw: {
    calls: { total: { name: "total" } },
    entities: {
      Account: account("event.params.who.toHexString()", {
        "withdrawn uint256": amount,
        "last string": '"withdraw"',
        "total uint256": "calls.total",
      }),
      Movement: { "amount uint256": amount, "feeless bool": "false" },
    },
  },
};

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({ abis: { Bank: abi }, instances: [instance("Bank", a(1), handlers)] });
});

const key = (logIndex: number): string => `${id("t")}-${logIndex}`;

async function emit(
  played: PlayedSubgraph,
  event: string,
  values: readonly unknown[],
  logIndex = 3,
): Promise<PlayedSubgraph> {
  await played.emit(abi, a(1), event, values, { transaction: id("t"), logIndex });
  return played;
}

const types = (entity: string, ...fields: string[]) =>
  fields.map((field) => built.schema.typeOf(entity, field));

describe("a separate entity", () => {
  test("in simple form has the trigger's id and refers to it", async () => {
    const played = await emit(built.play(), "Transfer", [a(8), a(9), 5n]);
    expect(played.all("EnrichmentBalance")).toEqual([
      { id: key(3), parent: key(3), transfer: key(3), value: 5n },
    ]);
    expect(built.schema.isImmutable("EnrichmentBalance")).toBe(true);
  });

  test("in array form has the trigger's id and a suffix", async () => {
    const played = await emit(built.play(), "Transfer", [a(8), a(9), 5n]);
    expect(played.all("Side")).toEqual([
      { id: `${key(3)}-in-5`, transfer: key(3), who: a(9) },
      { id: `${key(3)}-out`, transfer: key(3), who: a(8) },
    ]);
    expect(built.schema.isImmutable("Side")).toBe(true);
  });

  test("appears in the schema as a relation, derived on the trigger's type", async () => {
    expect(types("EnrichmentBalance", "transfer", "value")).toEqual(["Transfer!", "BigInt!"]);
    expect(types("Transfer", "enrichmentBalances", "sides")).toEqual(["[EnrichmentBalance!]!", "[Side!]!"]);
    const played = await emit(built.play(), "Transfer", [a(8), a(9), 5n]);
    expect(await played.related("Transfer", key(3), "sides")).toHaveLength(2);
    expect(await played.related("Transfer", key(3), "enrichmentBalances")).toHaveLength(1);
  });
});

describe("an entity with explicit_id", () => {
  test.each([
    ["in one block", false],
    ["across blocks", true],
  ])("is created once and then loaded, so that the fields of several events merge %s", async (_, ends) => {
    const played = built.play();
    played.contracts = () => [44n];
    await emit(played, "Deposit", [a(8), 5n], 1);
    expect(played.all("Account")).toEqual([{ id: a(8), deposit: key(1), deposited: 5n, last: "deposit" }]);
    if (ends) played.endBlock();
    await emit(played, "Withdraw", [a(8), 2n], 2);
    await emit(played, "Deposit", [a(9), 7n], 3);
    played.endBlock();
    expect(played.all("Account")).toEqual([
      {
        id: a(8),
        deposit: key(1),
        deposited: 5n,
        last: "withdraw",
        total: 44n,
        withdraw: key(2),
        withdrawn: 2n,
      },
      { id: a(9), deposit: key(3), deposited: 7n, last: "deposit" },
    ]);
  });

  test("is mutable, and a field that some handler leaves unset is nullable", () => {
    expect(built.schema.isImmutable("Account")).toBe(false);
    const fields = ["deposited", "withdrawn", "last", "total", "deposit", "withdraw"];
    expect(types("Account", ...fields)).toEqual([
      "BigInt",
      "BigInt",
      "String!",
      "BigInt",
      "Deposit",
      "Withdraw",
    ]);
    expect(types("Deposit", "accounts")).toEqual(["[Account!]!"]);
    expect(types("Withdraw", "accounts")).toEqual(["[Account!]!"]);
  });

  test("loses a field when a later optional call reverts", async () => {
    const played = built.play();
    played.contracts = () => [44n];
    await emit(played, "Withdraw", [a(8), 2n], 2);
    expect(played.all("Account")[0]).toHaveProperty("total", 44n);
    played.endBlock();
    played.contracts = () => undefined;
    await emit(played, "Withdraw", [a(8), 2n], 3);
    expect(played.all("Account")[0]).not.toHaveProperty("total");
  });
});

test("a type that several handlers set has the union of their fields", async () => {
  const played = await emit(built.play(), "Deposit", [a(8), 5n], 1);
  await emit(played, "Withdraw", [a(8), 2n], 2);
  expect(played.all("Movement")).toEqual([
    { id: key(1), amount: 5n, deposit: key(1), isDeposit: true },
    { id: key(2), amount: 2n, feeless: false, withdraw: key(2) },
  ]);
  const expected = ["BigInt!", "Boolean", "Boolean", "Deposit", "Withdraw"];
  expect(types("Movement", "amount", "isDeposit", "feeless", "deposit", "withdraw")).toEqual(expected);
});
