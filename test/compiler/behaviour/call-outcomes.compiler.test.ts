import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const names = ["Optional", "Required", "Dependency", "Pre", "Post", "PostReverts"];
const abi = [
  ...names.map((name) => `event ${name}(address who, uint256 amount)`),
  "function number() view returns (uint256)",
  "function small() view returns (uint8)",
  "function flag() view returns (bool)",
  "function text() view returns (string)",
  "function list() view returns (uint256[])",
  "function next() view returns (address)",
  "function owner() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
];
const amount = { "amount uint256": "event.params.amount" };

const handlers = {
  "Optional(address,uint256)": {
    calls: {
      number: { name: "number" },
      small: { name: "small" },
      flag: { name: "flag" },
      text: { name: "text" },
      list: { name: "list" },
    },
    entities: {
      Seen: {
        "number uint256": "calls.number",
        "numberReverted bool": "calls.number_reverted",
        "small uint8": "calls.small",
        "smallReverted bool": "calls.small_reverted",
        "flag bool": "calls.flag",
        "flagReverted bool": "calls.flag_reverted",
        "text string": "calls.text",
        "list uint256[]": "calls.list",
      },
    },
  },
  "Required(address,uint256)": {
    calls: { first: { name: "number" }, needed: { name: "text", required: true }, last: { name: "flag" } },
    entities: { Kept: { "text string": "calls.needed" }, Required: { "text string": "calls.needed" } },
  },
  "Dependency(address,uint256)": {
    calls: {
      next: { name: "next" },
      owner: { name: "owner", source: "calls.next", depends_on: ["next"] },
    },
    entities: { Owned: { "owner address": 'calls.owner === null ? "none" : calls.owner!.toHexString()' } },
  },
  "Pre(address,uint256)": {
    calls: { number: { name: "number", conditions: { pre: "event.params.amount > BigInt.fromI32(10)" } } },
    entities: { Big: { "number uint256": "calls.number" } },
  },
  "Post(address,uint256)": {
    calls: {
      number: {
        name: "number",
        conditions: { post: "result.value > event.params.amount && calls.number !== null" },
      },
      flag: { name: "flag" },
    },
    entities: { Above: { "number uint256": "calls.number" } },
  },
  "PostReverts(address,uint256)": {
    calls: { number: { name: "number", conditions: { post: "true" } } },
    entities: { Any: amount },
  },
};

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({
    abis: { Vault: abi },
    instances: [instance("Vault", a(1), handlers)],
  });
});

/** Emits an event about `a(5)`; a function without an answer reverts. */
async function emit(
  event: string,
  amount: bigint,
  answers: Record<string, unknown>,
  address = a(1),
): Promise<PlayedSubgraph> {
  const played = built.play();
  played.contracts = ({ address, signature }) => {
    const answer = answers[`${address} ${signature}`] ?? answers[signature];
    return answer === undefined ? undefined : [answer];
  };
  await played.emit(abi, address, event, [a(5), amount], { transaction: id("t"), logIndex: 3 });
  expect(played.all(event)).toHaveLength(1);
  return played;
}

const asked = (played: PlayedSubgraph) =>
  played.calls.map(({ address, signature, args }) => [address, signature, ...args]);
const entity = { id: `${id("t")}-3` };

describe("an optional call", () => {
  test("that reverts leaves a field of any type unset, and sets _reverted", async () => {
    expect((await emit("Optional", 1n, {})).all("Seen")).toEqual([
      {
        ...entity,
        optional: entity.id,
        flagReverted: true,
        numberReverted: true,
        smallReverted: true,
      },
    ]);
  });

  test("that succeeds gives its result, and _reverted is false", async () => {
    const answers = { "number()": 7n, "small()": 200n, "flag()": true, "text()": "x", "list()": [1n, 2n] };
    expect((await emit("Optional", 1n, answers)).all("Seen")).toMatchObject([
      {
        number: 7n,
        numberReverted: false,
        small: 200,
        smallReverted: false,
        flag: true,
        text: "x",
        list: [1n, 2n],
      },
    ]);
  });

  test.each([
    ["list", []],
    ["number", 0n],
    ["text", ""],
  ])("whose %s is empty or zero is not mistaken for a reverted call", async (name, answer) => {
    expect((await emit("Optional", 1n, { [`${name}()`]: answer })).all("Seen")).toMatchObject([
      { [name]: answer },
    ]);
  });

  test("makes only the field that is exactly its result nullable", () => {
    const types = ["number", "text", "list", "numberReverted"].map((field) =>
      built.schema.typeOf("Seen", field),
    );
    expect(types).toEqual(["BigInt", "String", "[BigInt!]", "Boolean!"]);
  });
});

describe("the enrichment aborts, and the triggering entity is kept,", () => {
  test("when a required call reverts, without making later calls", async () => {
    const played = await emit("Required", 4n, { "number()": 1n });
    expect(played.all("Kept")).toEqual([]);
    expect(played.all("Required")).toMatchObject([{ amount: 4n }]);
    expect(played.all("Required")[0]).not.toHaveProperty("text");
    expect(asked(played)).toEqual([
      [a(1), "number()"],
      [a(1), "text()"],
    ]);
  });

  test("when a dependency reverts, without making its dependents", async () => {
    const played = await emit("Dependency", 1n, { "owner()": a(8) });
    expect(played.all("Owned")).toEqual([]);
    expect(asked(played)).toEqual([[a(1), "next()"]]);
  });

  test("when pre is false, without making the call", async () => {
    const played = await emit("Pre", 10n, { "number()": 1n });
    expect(played.all("Big")).toEqual([]);
    expect(asked(played)).toEqual([]);
  });

  test("when post is false, without making later calls", async () => {
    const played = await emit("Post", 10n, { "number()": 10n, "flag()": true });
    expect(played.all("Above")).toEqual([]);
    expect(asked(played)).toEqual([[a(1), "number()"]]);
  });

  test("when a call with a post reverts, without evaluating it", async () => {
    expect((await emit("Post", 10n, {})).all("Above")).toEqual([]);
    expect((await emit("PostReverts", 10n, {})).all("Any")).toEqual([]);
  });
});

describe("the enrichment continues", () => {
  test("when a required call and a dependency succeed, and pre and post are true", async () => {
    expect((await emit("Required", 1n, { "text()": "x" })).all("Kept")).toEqual([
      { ...entity, required: entity.id, text: "x" },
    ]);
    expect((await emit("Required", 1n, { "text()": "x" })).all("Required")).toMatchObject([
      { text: "x", amount: 1n },
    ]);
    expect((await emit("Pre", 11n, { "number()": 1n })).all("Big")).toMatchObject([{ number: 1n }]);
    expect((await emit("Pre", 11n, {})).all("Big")).toEqual([{ ...entity, pre: entity.id }]);
    expect((await emit("Post", 10n, { "number()": 11n })).all("Above")).toMatchObject([{ number: 11n }]);
    expect((await emit("PostReverts", 1n, { "number()": 0n })).all("Any")).toHaveLength(1);
  });

  test("when a dependent reverts that is neither required nor a dependency", async () => {
    expect((await emit("Dependency", 1n, { "next()": a(7) })).all("Owned")).toMatchObject([
      { owner: "none" },
    ]);
    const answers = { "next()": a(7), [`${a(7)} owner()`]: a(8) };
    expect((await emit("Dependency", 1n, answers)).all("Owned")).toMatchObject([{ owner: a(8) }]);
  });
});
