import { AbiCoder, id, keccak256, toUtf8Bytes } from "ethers";
import { describe, expect, test } from "vitest";
import { planTemplate } from "../../../src/runtime/abi/decode-plan.js";
import { DeterministicError } from "../../../src/runtime/errors.js";
import type { EthereumValue } from "../../../src/runtime/values.js";
import { Abi } from "../../../src/subgraph/abi.js";
import { callPlanOf, planOf } from "./plans.js";

const coder = AbiCoder.defaultAbiCoder();
const word = (hex: string): string => hex.padStart(64, "0");
const topic = (hex: string): string => `0x${word(hex)}`;
const account = `0x${"ab".repeat(20)}`;
const transfer = id("Transfer(address,address,uint256)");
const erc20 = planOf("event Transfer(address indexed from, address indexed to, uint256 value)");

describe("a log", () => {
  test("decodes the parameters of a log with their names, in the ABI's order", () => {
    const plan = planOf("event Mixed(uint256 a, address indexed b, bool, int24 indexed d)");
    const topics = [id("Mixed(uint256,address,bool,int24)"), topic(account.slice(2)), topic("f".repeat(64))];
    expect(plan.decode({ topics, data: `0x${word("7")}${word("1")}` })).toEqual([
      { name: "a", value: { kind: "uint", value: 7n } },
      { name: "b", value: { kind: "address", value: account } },
      { name: "", value: { kind: "bool", value: true } },
      { name: "d", value: { kind: "int", value: -1n } },
    ]);
  });

  test.each<[string, readonly string[], string]>([
    ["of another event", [id("Other()"), topic("1"), topic("2")], `0x${word("3")}`],
    ["of a contract that indexes more", [transfer, topic("1"), topic("2"), topic("3")], "0x"],
    ["of a contract that indexes less", [transfer, topic("1")], `0x${word("2")}${word("3")}`],
    ["without topics", [], `0x${word("3")}`],
    ["with too little data", [transfer, topic("1"), topic("2")], `0x${word("3").slice(2)}`],
    ["without data", [transfer, topic("1"), topic("2")], "0x"],
  ])("%s is not a trigger", (_, topics, data) => {
    expect(erc20.decode({ topics, data })).toBeUndefined();
  });

  test("accepts a log with more data than needed", () => {
    const decoded = erc20.decode({ topics: [transfer, topic("1"), topic("2")], data: `0x${word("3")}ff` });
    expect(decoded?.[2]?.value).toEqual({ kind: "uint", value: 3n });
  });

  test.each<[string, string, string, EthereumValue]>([
    ["address", "address", `${"f".repeat(24)}${account.slice(2)}`, { kind: "address", value: account }],
    ["uint8", "uint8", word("12c"), { kind: "uint", value: 300n }],
    ["int8", "int8", word("80"), { kind: "int", value: 128n }],
    ["int24", "int24", `7${"f".repeat(63)}`, { kind: "int", value: 2n ** 255n - 1n }],
    ["int16", "int16", `${"f".repeat(56)}0000fffe`, { kind: "int", value: 65_534n - 2n ** 32n }],
    ["bool", "bool", word("2"), { kind: "bool", value: true }],
    ["bytes4", "bytes4", `01020304${"f".repeat(56)}`, { kind: "fixedBytes", value: "0x01020304" }],
    [
      "a list of uint8",
      "uint8[1]",
      word("12c"),
      { kind: "fixedArray", value: [{ kind: "uint", value: 300n }] },
    ],
    [
      "a struct",
      "tuple(int8 small, uint32[1] more)",
      `${word("80")}${word("100000000")}`,
      {
        kind: "tuple",
        value: [
          { kind: "int", value: 128n },
          { kind: "fixedArray", value: [{ kind: "uint", value: 2n ** 32n }] },
        ],
      },
    ],
    [
      "a list of addresses",
      "address[1]",
      `${"f".repeat(24)}${account.slice(2)}`,
      { kind: "fixedArray", value: [{ kind: "address", value: account }] },
    ],
  ])("keeps bits beyond the width of %s", (_, type, data, value) => {
    const plan = planOf(`event E(${type} value)`);
    expect(plan.decode({ topics: [plan.fragment.topicHash], data: `0x${data}` })).toEqual([
      { name: "value", value },
    ]);
  });

  test("decodes the whole word of an indexed integer, for a type of any width", () => {
    const plan = planOf("event E(uint8 indexed a, int8 indexed b)");
    const topics = [plan.fragment.topicHash, topic("12c"), topic("80")];
    expect(plan.decode({ topics, data: "0x" })).toEqual([
      { name: "a", value: { kind: "uint", value: 300n } },
      { name: "b", value: { kind: "int", value: 128n } },
    ]);
  });

  test.each([
    "string",
    "bytes",
    "uint256[]",
    "uint8[2]",
    "tuple(uint8 a)",
    "tuple(string a)[]",
  ])("decodes an indexed %s as its hash", (type) => {
    const plan = planOf(`event E(${type} indexed value)`);
    const hash = id("anything");
    expect(plan.decode({ topics: [plan.fragment.topicHash, hash], data: "0x" })).toEqual([
      { name: "value", value: { kind: "fixedBytes", value: hash } },
    ]);
  });

  test("accepts a log with a string that is not UTF-8", () => {
    const plan = planOf("event E(string text, tuple(string[] inner) more)");
    const data = coder.encode(["bytes", "tuple(bytes[])"], ["0x61ff62", [["0xefbbbf61", toUtf8Bytes("ä")]]]);
    expect(plan.decode({ topics: [plan.fragment.topicHash], data })).toEqual([
      { name: "text", value: { kind: "string", value: "a\ufffdb" } },
      {
        name: "more",
        value: {
          kind: "tuple",
          value: [
            {
              kind: "array",
              value: [
                { kind: "string", value: "\ufeffa" },
                { kind: "string", value: "ä" },
              ],
            },
          ],
        },
      },
    ]);
  });

  test("accepts a log whose last bytes are not padded", () => {
    const plan = planOf("event E(bytes data)");
    const decoded = plan.decode({
      topics: [plan.fragment.topicHash],
      data: `0x${word("20")}${word("2")}abcd`,
    });
    expect(decoded).toEqual([{ name: "data", value: { kind: "bytes", value: "0xabcd" } }]);
  });

  test.each([
    ["bytes", `${word("20")}${word("3")}abcd`],
    ["bytes", `${word("ff")}${word("0")}`],
    ["bytes", "f".repeat(64)],
    ["string[]", `${word("20")}${word("1")}${"f".repeat(64)}`],
    ["tuple(string a, bytes b)", `${word("20")}${word("40")}${"f".repeat(64)}${word("0")}`],
    ["uint256[]", `${word("20")}${word("ffffffff")}`],
    ["uint256[2]", word("1")],
  ])("a log with an undecodable %s is not a trigger: %s", (type, data) => {
    const plan = planOf(`event E(${type} value)`);
    expect(plan.decode({ topics: [plan.fragment.topicHash], data: `0x${data}` })).toBeUndefined();
  });

  test("the first topic of an anonymous event is its first parameter", () => {
    const first = topic("5");
    const inputs = ["a", "b"].map((name) => ({ name, type: "uint256", indexed: name === "a" }));
    const plan = planOf({ type: "event", name: "E", inputs, anonymous: true }, { topic0: first });
    expect(plan.decode({ topics: [first], data: `0x${word("6")}` })).toEqual([
      { name: "a", value: { kind: "uint", value: 5n } },
      { name: "b", value: { kind: "uint", value: 6n } },
    ]);
    expect(plan.decode({ topics: [topic("6")], data: `0x${word("6")}` })).toBeUndefined();
  });

  test("a log with the topic of a different event never matches", () => {
    const plan = planOf("event E(uint256 a)", { topic0: topic("5") });
    expect(plan.decode({ topics: [topic("5")], data: `0x${word("6")}` })).toBeUndefined();
    expect(plan.decode({ topics: [plan.fragment.topicHash], data: `0x${word("6")}` })).toBeUndefined();
  });

  test.each([
    [[[topic("1"), topic("9")], undefined, undefined], true],
    [[[topic("9")], undefined, undefined], false],
    [[undefined, [topic("2")], undefined], true],
    [[[topic("1")], [topic("3")], undefined], false],
    [[undefined, undefined, [topic("3")]], false],
    [[[], undefined, undefined], false],
  ])("a log must pass the topic filters: %j", (topicFilters, fits) => {
    const plan = planOf("event Transfer(address indexed from, address indexed to, uint256 value)", {
      topicFilters,
    });
    const decoded = plan.decode({ topics: [transfer, topic("1"), topic("2")], data: `0x${word("3")}` });
    expect(decoded !== undefined).toBe(fits);
  });
});

describe("a call", () => {
  const plan = callPlanOf("function swap(uint256 amount, bytes data) returns (int256 out, bool)");
  const input = `${plan.handler.selector}${coder.encode(["uint256", "bytes"], [5n, "0xab"]).slice(2)}`;
  const output = coder.encode(["int256", "bool"], [-5n, true]);
  const transactionHash = id("transaction");

  test("decodes the inputs and outputs of a call", () => {
    expect(plan.decode({ input, output, transactionHash })).toEqual({
      inputs: [
        { name: "amount", value: { kind: "uint", value: 5n } },
        { name: "data", value: { kind: "bytes", value: "0xab" } },
      ],
      outputs: [
        { name: "out", value: { kind: "int", value: -5n } },
        { name: "", value: { kind: "bool", value: true } },
      ],
    });
  });

  test.each([
    ["another function", `0x00000000${input.slice(10)}`],
    ["no function", "0x"],
    ["too little", input.slice(0, 100)],
  ])("of %s is not a trigger", (_, given) => {
    expect(plan.decode({ input: given, output, transactionHash })).toBeUndefined();
  });

  test("throws for a call whose output does not decode", () => {
    const decoding = () => plan.decode({ input, output: "0x01", transactionHash });
    expect(decoding).toThrow(DeterministicError);
    expect(decoding).toThrow(
      `cannot decode what swap(uint256,bytes) returned in transaction ${transactionHash}: 0x01`,
    );
  });

  test("accepts an empty output where none is expected", () => {
    const { handler, decode } = callPlanOf("function f()");
    expect(decode({ input: handler.selector, output: "0x", transactionHash })).toEqual({
      inputs: [],
      outputs: [],
    });
  });
});

describe("triggers that the ABI lacks", () => {
  const { handler } = planOf("event E(uint256 a)", { topicFilters: [[topic("1")], undefined, undefined] });
  const call = callPlanOf("function f()").handler;
  const plan = planTemplate({
    name: "Pool",
    abi: "Abi",
    abis: new Map([["Abi", new Abi("Abi", "[]")]]),
    module: "",
    eventHandlers: [handler],
    callHandlers: [call],
  });

  test("matches triggers that the ABI lacks only by topics and selectors", () => {
    const [event] = plan.events;
    expect(event?.decode({ topics: [handler.topic0, topic("1")], data: "0x" })).toEqual([]);
    expect(event?.decode({ topics: [handler.topic0, topic("2")], data: "0x" })).toBeUndefined();
    expect(event?.decode({ topics: [transfer, topic("1")], data: "0x" })).toBeUndefined();
    const trace = { output: "0x", transactionHash: topic("9") };
    expect(plan.calls[0]?.decode({ ...trace, input: `${call.selector}00` })).toEqual({
      inputs: [],
      outputs: [],
    });
    expect(plan.calls[0]?.decode({ ...trace, input: "0x00000000" })).toBeUndefined();
  });

  test("reports why a trigger that the ABI lacks fails", () => {
    expect(plan.events[0]?.lacking).toBe(
      'Event with the signature "E(uint256)" not found in contract "Abi" of data source "Pool"',
    );
    expect(plan.calls[0]?.lacking).toBe(
      'Function with the signature "f()" not found in contract "Abi" of data source "Pool"',
    );
  });
});

test("the decoder distinguishes overloads by their types", () => {
  const abi = ["uint256", "address"].map((type) => ({
    type: "event",
    name: "E",
    inputs: [{ name: type, type, indexed: false }],
  }));
  const { handler } = planOf("event E(address a)");
  const plan = planTemplate({
    name: "Pool",
    abi: "Abi",
    abis: new Map([["Abi", new Abi("Abi", JSON.stringify(abi))]]),
    module: "",
    eventHandlers: [handler],
    callHandlers: [],
  });
  expect(plan.events[0]?.fragment?.inputs[0]?.name).toBe("address");
  expect(plan.events[0]?.handler.topic0).toBe(keccak256(toUtf8Bytes("E(address)")));
});

test("the decoder requires indexed in the signature when several events share a name", () => {
  const abi = [
    { type: "event", name: "E", inputs: [{ name: "a", type: "uint256", indexed: true }] },
    { type: "event", name: "E", inputs: [{ name: "a", type: "address", indexed: true }] },
  ];
  const { handler } = planOf("event E(uint256 a)");
  const template = {
    name: "Pool",
    abi: "Abi",
    abis: new Map([["Abi", new Abi("Abi", JSON.stringify(abi))]]),
    module: "",
  };
  const { events } = planTemplate({ ...template, eventHandlers: [handler], callHandlers: [] });
  expect(events[0]?.lacking).toMatch(/^Event with the signature "E\(uint256\)" not found/);
});
