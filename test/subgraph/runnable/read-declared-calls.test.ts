import { EventFragment } from "ethers";
import { describe, expect, test } from "vitest";
import { Abi } from "../../../src/subgraph/abi.js";
import { BundleError } from "../../../src/subgraph/bundle-error.js";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";
import {
  type CallScope,
  readDeclaredCalls,
  readEntityCalls,
} from "../../../src/subgraph/runnable/read-declared-calls.js";

const inner = { type: "tuple", name: "inner", components: [{ name: "token", type: "address" }] };
const order = { type: "tuple", name: "order", components: [{ name: "maker", type: "address" }, inner] };
const list = { type: "tuple[]", name: "list", components: order.components };
const ordered = { type: "event", name: "Ordered", inputs: [order, list, { name: "to", type: "address" }] };
const entries = [
  { type: "function", name: "one", stateMutability: "view", inputs: [{ type: "address" }], outputs: [] },
  { type: "function", name: "none", stateMutability: "view", inputs: [], outputs: [] },
  { type: "function", name: "none", stateMutability: "view", inputs: [{ type: "bool" }], outputs: [] },
];
const abi = (name: string, list: readonly object[]) => [name, new Abi(name, JSON.stringify(list))] as const;
const scope: CallScope = {
  specVersion: "1.4.0",
  event: EventFragment.from(ordered),
  abis: new Map([abi("Shop", [ordered, ...entries]), abi("Other", entries)]),
};
const read = (text: string, changes: Partial<CallScope> = {}) =>
  readDeclaredCalls(parseManifest(JSON.stringify({ calls: { a: text } })).root.at("calls"), {
    ...scope,
    ...changes,
  })[0];
const someone = `0x${"Ab".repeat(20)}`;

describe("a declared call", () => {
  const literal = { kind: "literal", address: someone.toLowerCase() };
  const event = { kind: "event-address" };
  const parameter = (name: string, ...path: readonly number[]) => ({ kind: "parameter", name, path });

  test.each<[string, object]>([
    ["Shop[event.address].none()", { contract: "Shop", function: "none", address: event, args: [] }],
    [` Other [${someone}].none( )`, { contract: "Other", address: literal, args: [] }],
    [`Shop[event.params.to].one( ${someone} )`, { address: parameter("to"), args: [literal] }],
    ["Shop[event.params.order.maker].none()", { address: parameter("order", 0) }],
    ["Shop[event.params.order.1.token].none()", { address: parameter("order", 1, 0) }],
    ["Shop[event.address].one(event.params.order.inner.0)", { args: [parameter("order", 1, 0)] }],
  ])("is read: %s", (text, expected) => {
    expect(read(text)).toMatchObject({ label: "a", text, ...expected });
  });

  test("finds the members of a struct in the first ABI, as graph-node does", () => {
    const turned = { ...order, components: order.components.toReversed() };
    const other = abi("Other", [{ ...ordered, inputs: [turned] }]);
    const abis = new Map([other, ...scope.abis].filter(([name], at) => at === 0 || name !== "Other"));
    expect(read("Shop[event.params.order.maker].none()", { abis })).toMatchObject({
      address: parameter("order", 1),
    });
  });
});

describe("a faulty declared call", () => {
  test.each([
    ["none()", "calls.a is none(), which is not of the form Abi[event.address].function(event.params.name)"],
    ["Shop[].none()", "is not of the form"],
    ["Nobody[event.address].none()", "calls Nobody, which is not in mapping.abis: Shop, Other"],
    ["Shop[event.address].two()", "calls two, which is not a function of the ABI Shop"],
    ["Shop[event.address].one()", "passes 0 arguments to one(address) of Shop"],
    ["Shop[event.address].none(event.params.to)", "passes 1 argument to none() of Shop"],
    ["Shop[ event.address].none()", 'uses " event.address": only event.address, event.params and addresses'],
    ["Shop[event.address].one(5)", 'uses "5": only'],
    ["Shop[event.address].one(event.block.number)", 'uses "event.block.number": only'],
    ["Shop[event.params.who].none()", "event.params.who, but the event has no parameter of that name"],
    ["Shop[event.params.order.taker].none()", "(address,(address)) has no member taker"],
    ["Shop[event.params.order.2].none()", "(address,(address)) has no member 2"],
    ["Shop[event.params.order.0.0].none()", "uses event.params.order.0.0, but address is not a struct"],
    ["Shop[event.params.list.0].none()", "but (address,(address))[] is not a struct"],
  ])("is refused: %s", (text, message) => {
    expect(() => read(text)).toThrow(message);
    expect(() => read(text)).toThrow(BundleError);
  });

  test("is refused with a struct member before its specVersion", () => {
    expect(() => read("Shop[event.params.order.0].none()", { specVersion: "1.3.0" })).toThrow(
      "calls.a uses event.params.order.0, which requires specVersion 1.4.0, but the manifest has 1.3.0",
    );
  });

  test("is refused with a struct member that the first ABI lacks", () => {
    const abis = new Map([...scope.abis].toReversed());
    expect(() => read("Shop[event.params.order.0].none()", { abis })).toThrow(
      "structs are looked up in the first of mapping.abis, Other, whose first event Ordered has no such parameter",
    );
  });
});

describe("a declared call for an entity of another subgraph", () => {
  const readOne = (text: string) =>
    readEntityCalls(parseManifest(JSON.stringify({ calls: { a: text } })).root.at("calls"), scope.abis)[0];

  test("takes fields of the entity, and addresses", () => {
    expect(readOne(`Other[entity.token].one(${someone})`)).toEqual({
      label: "a",
      text: `Other[entity.token].one(${someone})`,
      contract: "Other",
      address: { kind: "field", name: "token" },
      function: "one",
      args: [{ kind: "literal", address: someone.toLowerCase() }],
    });
  });

  test.each(["Other[event.address].none()", "Other[entity.a.b].none()"])("takes nothing else: %s", (text) => {
    expect(() => readOne(text)).toThrow("only entity.field and addresses (0x and 40 hex digits) are allowed");
  });
});
