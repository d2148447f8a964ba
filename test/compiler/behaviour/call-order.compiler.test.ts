import { id } from "ethers";
import { beforeAll, describe, expect, test } from "vitest";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const names = ["Order", "NotYet", "Declared", "Receipt", "Debugged"];
const abi = [
  ...names.map((name) => `event ${name}(address who, uint256 amount)`),
  "function number() view returns (uint256)",
  "function flag() view returns (bool)",
  "function text() view returns (string)",
  "function next() view returns (address)",
  "function owner() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
];
const amount = { "amount uint256": "event.params.amount" };

const handlers = {
  "Order(address,uint256)": {
    calls: {
      next: { name: "next" },
      owner: { name: "owner", source: "calls.next", depends_on: ["next"] },
      number: { name: "number", depends_on: ["next", "owner"] },
      balance: {
        name: "balanceOf",
        params: "calls.owner",
        source: "calls.next",
        depends_on: ["owner", "number"],
      },
    },
    entities: { Chain: { "balance uint256": "calls.balance" } },
  },
  "NotYet(address,uint256)": {
    calls: {
      early: { name: "balanceOf", params: "calls.late === null ? event.params.who : event.address" },
      late: { name: "next" },
    },
    entities: { Early: { "early uint256": "calls.early" } },
  },
  "Declared(address,uint256)": {
    calls: {
      own: { name: "balanceOf", params: "event.params.who", declared: true },
      other: { name: "owner", source: "event.params.who", declared: true },
      fixed: { name: "number", source: a(0x77), declared: true },
      computed: { name: "balanceOf", params: "event.transaction.from", declared: true },
    },
    entities: { Told: { "own uint256": "calls.own" } },
  },
  "Receipt(address,uint256)": {
    entities: {
      Gas: {
        "used uint256": "event.receipt!.gasUsed",
        "logs int32": "event.receipt!.logs.length",
        "data bytes": "event.receipt!.logs[0].data",
      },
    },
  },
};
const debugged = {
  "Debugged(address,uint256)": {
    calls: {
      text: { name: "text" },
      number: { name: "number", required: true, conditions: { pre: "event.params.amount > BigInt.zero()" } },
      flag: { name: "flag", conditions: { post: "result.value" } },
    },
    entities: { Traced: amount },
  },
};

let built: BuiltScenario;
beforeAll(async () => {
  built = await buildScenario({
    abis: { Vault: abi, Debugged: abi },
    instances: [instance("Vault", a(1), handlers), instance("Debugged", a(2), debugged, { debugging: true })],
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

test("calls are made in the order written, and see the results of earlier calls", async () => {
  const answers = { "next()": a(7), "owner()": a(8), "number()": 1n, "balanceOf(address)": 9n };
  const played = await emit("Order", 1n, answers);
  expect(asked(played)).toEqual([
    [a(1), "next()"],
    [a(7), "owner()"],
    [a(1), "number()"],
    [a(7), "balanceOf(address)", a(8)],
  ]);
  expect(played.all("Chain")).toMatchObject([{ balance: 9n }]);
});

test("a result that is read before its call is null and causes a warning", async () => {
  const played = await emit("NotYet", 1n, { "next()": a(7), "balanceOf(address)": 4n });
  expect(asked(played)[0]).toEqual([a(1), "balanceOf(address)", a(5)]);
  expect(built.said).toContainEqual(expect.stringMatching(/^call-not-made-yet: calls.late/));
});

test("the manifest declares the calls that the handler makes, and the handler makes the others itself", async () => {
  const played = await emit("Declared", 1n, { "balanceOf(address)": 4n });
  expect(played.declared).toHaveLength(3);
  expect(played.calls).toEqual(expect.arrayContaining([...played.declared]));
  expect(asked(played)).toEqual([
    [a(1), "balanceOf(address)", a(5)],
    [a(5), "owner()"],
    [a(0x77), "number()"],
    [a(1), "balanceOf(address)", a(0xf)],
  ]);
  expect(built.said).toContainEqual(expect.stringMatching(/^not-declarable: call "computed"/));
});

test("an expression can read the receipt", async () => {
  expect((await emit("Receipt", 1n, {})).all("Gas")).toMatchObject([
    { used: 54_321n, logs: 1, data: `0x${a(5).slice(2).padStart(64, "0")}${"1".padStart(64, "0")}` },
  ]);
});

describe("debugging logs", () => {
  const messages = async (amount: bigint, answers: Record<string, unknown>) =>
    (await emit("Debugged", amount, answers, a(2))).messages.join("\n");

  test("report every step, and why the enrichment aborted", async () => {
    const done = await messages(1n, { "number()": 1n, "flag()": true });
    expect(done).toMatch(/text reverted[\s\S]*number made[\s\S]*flag made[\s\S]*saved Traced/);
    expect(done).toContain(entity.id);
    expect(await messages(0n, {})).toMatch(/aborted.*before call number is false$/);
    expect(await messages(1n, {})).toMatch(/number reverted\n.*aborted.*number/);
    expect(await messages(1n, { "number()": 1n, "flag()": false })).toMatch(
      /aborted.*after call flag is false$/,
    );
  });

  test("are absent without the option", async () => {
    expect((await emit("Order", 1n, {})).messages).toEqual([]);
  });
});
