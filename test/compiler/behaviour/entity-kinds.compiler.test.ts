import { id } from "ethers";
import { beforeAll, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const abi = [
  "event Deposit(address who, uint256 amount)",
  "event Withdraw(address who, uint256 amount)",
  "event Audit(string note)",
  "event Extended(uint256 amount)",
  "event Child(uint256 amount)",
  "event Fields(address who, uint256 amount)",
];
const amount = "event.params.amount";

const handlers = {
  Audit: {
    entities: {
      // The type of a different event, once with a suffix and once under the trigger's id.
      Deposit: [{ id: '"copy"', mapping: { "amount uint256": "BigInt.fromI32(3)" } }],
      Withdraw: { "who address": "event.address.toHexString()" },
    },
  },
  Extended: {
    entities: {
      Extended: {
        "double uint256": `${amount}.times(BigInt.fromI32(2))`,
        "amount uint256": `${amount} + ${amount}`,
      },
    },
  },
  Child: {
    entities: {
      Child: [{ id: '"extra"', mapping: { "amount uint256": "entity.amount.plus(BigInt.fromI32(1))" } }],
    },
  },
  Fields: {
    entities: {
      Kinds: {
        "id string": '"not the id"',
        "who address": "event.params.who.toHexString()",
        "raw bytes": "event.params.who",
        "word bytes32": "event.block.hash",
        "flag bool": "event.params.amount.isZero()",
        "small uint24": "event.params.amount.toI32()",
        "signed int32": "-event.params.amount.toI32()",
        "wide uint32": amount,
        "share fixed": `${amount}.toBigDecimal() / BigDecimal.fromString("4")`,
        "whos address[]": "[event.params.who.toHexString()]",
        "ratio ufixed128x18": 'BigDecimal.fromString("1.50")',
        "list uint256[]": `[${amount}, BigInt.zero()]`,
        "hash bytes32[]": "[event.transaction.hash]",
        "ternary string": `${amount} > BigInt.fromI32(5) ? "many" : "few"`,
      },
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

test("an entity with the trigger's name adds fields to the trigger's entity, which is saved again", async () => {
  const played = await emit(built.play(), "Extended", [5n]);
  expect(played.all("Extended")).toMatchObject([{ id: key(3), amount: 10n, double: 10n, contractId_: a(1) }]);
  expect(types("Extended", "double", "amount")).toEqual(["BigInt", "BigInt!"]);
  played.endBlock();
});

test("an entity with the trigger's name in array form is a second entity of that type", async () => {
  const played = await emit(built.play(), "Child", [5n]);
  expect(played.all("Child")).toMatchObject([
    { id: key(3), amount: 5n },
    { id: `${key(3)}-extra`, amount: 6n, block_number: 100n, contractId_: a(1) },
  ]);
});

test("an entity with a different event's name is a new entity of that type, with nullable unset fields", async () => {
  const played = await emit(built.play(), "Audit", ["note"]);
  const base = {
    block_number: 100n,
    timestamp_: 1_600_001_200n,
    transactionHash_: id("t"),
    contractId_: a(1),
  };
  expect(played.all("Deposit")).toEqual([{ ...base, id: `${key(3)}-copy`, amount: 3n, audit: key(3) }]);
  expect(played.all("Withdraw")).toEqual([{ ...base, id: key(3), who: a(1), audit: key(3) }]);
  expect(types("Deposit", "who", "amount")).toEqual(["String", "BigInt!"]);
  expect(types("Withdraw", "who", "amount")).toEqual(["String!", "BigInt"]);
});

test("every field type accepts its expression, and a field named id is renamed", async () => {
  expect((await emit(built.play(), "Fields", [a(8), 10n])).all("Kinds")).toEqual([
    {
      id: key(3),
      fields: key(3),
      idParam: "not the id",
      who: a(8),
      raw: a(8),
      word: id("hash 100"),
      flag: false,
      small: 10,
      signed: -10,
      wide: 10n,
      share: "2.5",
      whos: [a(8)],
      ratio: "1.5",
      list: [10n, 0n],
      hash: [id("t")],
      ternary: "many",
    },
  ]);
  expect(built.said).toContainEqual(expect.stringMatching(/^id-is-reserved/));
  expect(types("Kinds", "share", "ratio", "wide", "small", "whos")).toEqual([
    "BigDecimal!",
    "BigDecimal!",
    "BigInt!",
    "Int!",
    "[String!]!",
  ]);
});
