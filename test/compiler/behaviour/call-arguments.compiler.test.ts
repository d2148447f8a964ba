import { beforeAll, describe, expect, test } from "vitest";
import { argumentRows } from "./argument-rows.js";
import { a, type BuiltScenario, buildScenario, instance } from "./harness.js";
import type { PlayedSubgraph } from "./played-subgraph.js";

const sources = {
  Own: undefined,
  Literal: "0xDAC17F958D2ee523a2206206994597C13D831ec7",
  Parameter: "event.params.to",
  Expression: `event.params.to == Address.zero() ? event.address : Address.fromString("${a(0x44)}")`,
};
const abi = [
  ...argumentRows.map(([, event], i) => `event Case${i}(${event})`),
  ...argumentRows.map(([inputs], i) => `function take${i}(${inputs}) view returns (uint256)`),
  ...Object.keys(sources).map((name) => `event ${name}(address to)`),
];
const token = ["function decimals() view returns (uint8)", "function get(uint256) view returns (uint256)"];
const overloads = [
  "event One(uint256 x)",
  "event Two(uint256 x)",
  "event Named(address who)",
  "function get(uint256 x) view returns (uint256)",
  "function get(uint256 x, uint256 y) view returns (uint256)",
  "function get(address who) view returns (string)",
];
/** Contracts with a function that has the name of a method of contract classes in AssemblyScript. */
const batches = ["tryCall", "call", "bind"].map((name, i) => {
  const batch = [
    `event Made_${name}(uint8[] kinds)`,
    `function ${name}(uint8[]) view returns (uint256)`,
    "function take(uint8[]) view returns (uint256)",
  ];
  return [name, a(10 + i), batch] as const;
});

let built: BuiltScenario;
beforeAll(async () => {
  const cases = argumentRows.map(([, , , text], i) => [
    `Case${i}`,
    {
      calls: { got: { name: `take${i}`, params: text, required: true } },
      entities: { [`Got${i}`]: { "got uint256": "calls.got" } },
    },
  ]);
  const elsewhere = Object.entries(sources).map(([name, source]) => [
    name,
    {
      calls: { decimals: { abi: "ERC-20 token", name: "decimals", ...(source && { source }) } },
      entities: { [`${name}Token`]: { "decimals uint8": "calls.decimals" } },
    },
  ]);
  const chosen = (name: string, text: string, type: string) => ({
    calls: { got: { name, params: text } },
    entities: { [`By${type}`]: { [`got ${type}`]: "calls.got" } },
  });
  const taken = (name: string) => ({ name, params: "event.params.kinds", required: true });
  const summed = (name: string) => ({
    calls: { one: taken(name), two: taken("take") },
    entities: { Sum: { "sum uint256": "calls.one + calls.two" } },
  });
  built = await buildScenario({
    abis: {
      Args: abi,
      "ERC-20 token": token,
      Overloads: overloads,
      ...Object.fromEntries(batches.map(([name, , batch]) => [`Batch_${name}`, batch])),
    },
    instances: [
      instance("Args", a(1), Object.fromEntries([...cases, ...elsewhere])),
      instance("Overloads", a(2), {
        One: chosen("get(uint256)", "event.params.x", "uint256"),
        Two: chosen("get", "event.params.x, event.params.x", "uint128"),
        Named: chosen("get(address)", "event.params.who", "string"),
      }),
      ...batches.map(([name, at]) => instance(`Batch_${name}`, at, { [`Made_${name}`]: summed(name) })),
    ],
  });
});

async function emit(
  event: string,
  values: readonly unknown[],
  answer: unknown,
  from = abi,
  at = a(1),
): Promise<PlayedSubgraph> {
  const played = built.play();
  played.contracts = () => [answer];
  await played.emit(from, at, event, values);
  return played;
}

describe("an argument reaches the contract unchanged, of type", () => {
  test.each(
    argumentRows.map((row, i) => [row[0], row[2], i] as const),
  )("%s holding %s", async (_, given, i) => {
    const played = await emit(`Case${i}`, given, 77n);
    expect(played.calls.map(({ args }) => args)).toEqual([argumentRows[i]?.[4] ?? given]);
    expect(played.all(`Got${i}`)).toMatchObject([{ got: 77n }]);
  });
});

describe("a call on another ABI is bound at", () => {
  test.each([
    ["Own", a(5), a(1), "its own address without a source"],
    ["Literal", a(5), "0xdac17f958d2ee523a2206206994597c13d831ec7", "a literal"],
    ["Parameter", a(5), a(5), "an address of the event"],
    ["Expression", a(5), a(0x44), "the result of an expression"],
    ["Expression", a(0), a(1), "the result of a conditional expression"],
  ])("%s(%s): %s, %s", async (event, to, expected) => {
    const played = await emit(event, [to], 18n);
    expect(played.calls).toEqual([{ address: expected, signature: "decimals()", args: [] }]);
    expect(played.all(`${event}Token`)).toMatchObject([{ decimals: 18 }]);
  });
});

test("overloads are chosen by signature or by the number of parameters", async () => {
  const called = async (event: string, value: unknown, answer: unknown) => {
    const { calls } = await emit(event, [value], answer, overloads, a(2));
    return calls.map(({ signature, args }) => [signature, ...args]);
  };
  expect(await called("One", 1n, 5n)).toEqual([["get(uint256)", 1n]]);
  expect(await called("Two", 1n, 5n)).toEqual([["get(uint256,uint256)", 1n, 1n]]);
  expect(await called("Named", a(1), "x")).toEqual([["get(address)", a(1)]]);
});

test.each(
  batches,
)("a function may have the name %s, like a method of contract classes", async (name, at, batch) => {
  const played = built.play();
  played.contracts = ({ signature }) => [signature.startsWith("take") ? 1n : 2n];
  await played.emit(batch, at, `Made_${name}`, [[5n]]);
  expect(played.all("Sum")).toMatchObject([{ sum: 3n }]);
});
