import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import type { WasmHost } from "../../support/wasm-host.js";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";

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

function emit(host: WasmHost, event: string, values: readonly unknown[], logIndex = 3): WasmHost {
  host.emit(abi, a(1), event, values, { transaction: id("t"), logIndex });
  return host;
}

const types = (entity: string, ...fields: string[]) =>
  fields.map((field) => built.host().store.typeOf(entity, field));

describe("an entity of its own", () => {
  test("in simple form has the trigger's id and refers to it", () => {
    const host = emit(built.host(), "Transfer", [a(8), a(9), 5n]);
    expect(host.all("EnrichmentBalance")).toEqual([
      { id: key(3), parent: key(3), transfer: key(3), value: 5n },
    ]);
    expect(host.store.isImmutable("EnrichmentBalance")).toBe(true);
  });

  test("in array form has the trigger's id and a suffix", () => {
    const host = emit(built.host(), "Transfer", [a(8), a(9), 5n]);
    expect(host.all("Side")).toEqual([
      { id: `${key(3)}-in-5`, transfer: key(3), who: a(9) },
      { id: `${key(3)}-out`, transfer: key(3), who: a(8) },
    ]);
    expect(host.store.isImmutable("Side")).toBe(true);
  });

  test("is in the schema as a relation, derived on the trigger", () => {
    expect(types("EnrichmentBalance", "transfer", "value")).toEqual(["Transfer!", "BigInt!"]);
    expect(types("Transfer", "enrichmentBalances", "sides")).toEqual(["[EnrichmentBalance!]!", "[Side!]!"]);
    const { store } = emit(built.host(), "Transfer", [a(8), a(9), 5n]);
    expect(store.related("Transfer", key(3), "sides")).toHaveLength(2);
    expect(store.related("Transfer", key(3), "enrichmentBalances")).toHaveLength(1);
  });
});

describe("an entity with explicit_id", () => {
  test.each([
    ["in one block", false],
    ["across blocks", true],
  ])("is created, then loaded: fields merge over several events %s", (_, ends) => {
    const host = emit(built.host(), "Deposit", [a(8), 5n], 1);
    expect(host.all("Account")).toEqual([{ id: a(8), deposit: key(1), deposited: 5n, last: "deposit" }]);
    if (ends) host.endBlock();
    host.contracts = () => [44n];
    emit(host, "Withdraw", [a(8), 2n], 2);
    emit(host, "Deposit", [a(9), 7n], 3);
    host.endBlock();
    expect(host.all("Account")).toEqual([
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

  test("is mutable, and nullable where not every handler sets a field", () => {
    expect(built.host().store.isImmutable("Account")).toBe(false);
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

  test("loses a field when a later optional call reverts", () => {
    const host = built.host();
    host.contracts = () => [44n];
    emit(host, "Withdraw", [a(8), 2n], 2);
    host.contracts = () => undefined;
    emit(host, "Withdraw", [a(8), 2n], 3);
    expect(host.all("Account")[0]).not.toHaveProperty("total");
  });
});

test("one type from several handlers has the union of the fields", () => {
  const host = emit(emit(built.host(), "Deposit", [a(8), 5n], 1), "Withdraw", [a(8), 2n], 2);
  expect(host.all("Movement")).toEqual([
    { id: key(1), amount: 5n, deposit: key(1), isDeposit: true },
    { id: key(2), amount: 2n, feeless: false, withdraw: key(2) },
  ]);
  const expected = ["BigInt!", "Boolean", "Boolean", "Deposit", "Withdraw"];
  expect(types("Movement", "amount", "isDeposit", "feeless", "deposit", "withdraw")).toEqual(expected);
});
