import { expect, it } from "vitest";
import { anyNode } from "../../src/data/nodes/any-node.js";
import { type DataNode, UnknownStateError } from "../../src/data/nodes/data-node.js";
import { ChainError } from "../../src/runtime/chain/chain.js";
import { RpcError } from "../../src/runtime/chain/rpc-errors.js";

const asked: string[] = [];
const failures = new Map<string, Error>();
let now = 0;

function node(name: string, balance: bigint): DataNode {
  const answer = async <Answer>(given: Answer): Promise<Answer> => {
    asked.push(name);
    const failure = failures.get(name);
    if (failure) throw failure;
    return given;
  };
  return {
    call: (contract) => answer(contract),
    create: (code) => answer(code),
    balance: () => answer(balance),
  };
}

it("the data service asks the next node after one that fails or lacks the block, and starts with the one that answered", async () => {
  const nodes = anyNode([node("one", 1n), node("two", 2n), node("three", 3n)], () => now);
  expect(await nodes.balance("0x", "0x")).toBe(1n);
  failures.set("one", new ChainError("down")).set("two", new UnknownStateError("unknown block"));
  expect(await nodes.balance("0x", "0x")).toBe(3n);
  expect(await nodes.call("0xc", "0x", "0x")).toBe("0xc");
  expect(asked.splice(0)).toEqual(["one", "one", "two", "three", "three"]);
  now += 10_000;
  failures.set("three", new ChainError("down too"));
  await expect(nodes.create("0x", "0x", "0x")).rejects.toBeInstanceOf(UnknownStateError);
  expect(asked.splice(0)).toEqual(["three", "one", "two"]);
  failures.delete("one");
  now += 10_000;
  expect(await nodes.create("0xd", "0x", "0x")).toBe("0xd");
  expect(await nodes.balance("0x", "0x")).toBe(1n);
  expect(asked.splice(0)).toEqual(["three", "one", "one"]);
});

it("the data service waits ten seconds before it retries a silent node, but retries one that did not know a block at once", async () => {
  failures.clear();
  const nodes = anyNode([node("one", 1n), node("two", 2n)], () => now);
  failures.set("one", new ChainError("one is silent")).set("two", new UnknownStateError("unknown block"));
  for (let count = 0; count < 2; count++)
    await expect(nodes.balance("0x", "0x")).rejects.toThrow("unknown block");
  expect(asked.splice(0)).toEqual(["one", "two", "two"]);
  failures.set("two", new ChainError("two is silent"));
  for (let count = 0; count < 2; count++)
    await expect(nodes.balance("0x", "0x")).rejects.toThrow("two is silent");
  expect(asked.splice(0)).toEqual(["two"]);
  now += 10_000;
  failures.clear();
  expect(await nodes.balance("0x", "0x")).toBe(1n);
  expect(asked.splice(0)).toEqual(["one"]);
  const refusal = { code: 3, reason: "no", data: null };
  failures.set("one", new RpcError("eth_call", "node", refusal));
  failures.set("two", new RpcError("eth_call", "node", refusal));
  for (let count = 0; count < 2; count++) await expect(nodes.balance("0x", "0x")).rejects.toThrow("no");
  expect(asked.splice(0)).toEqual(["one", "two", "one", "two"]);
});

it("the data service says which node did not answer and why, but does not count a refusal or an unknown block", async () => {
  failures.clear();
  const told: string[] = [];
  const nodes = anyNode(
    [node("one", 1n), node("two", 2n)],
    () => now,
    (index, { message }) => void told.push(`${index}: ${message}`),
  );
  failures.set("one", new UnknownStateError("unknown block")).set("two", new ChainError("two is silent"));
  await expect(nodes.balance("0x", "0x")).rejects.toThrow("two is silent");
  failures.set("one", new RpcError("eth_call", "node", { code: 3, reason: "no", data: null }));
  await expect(nodes.balance("0x", "0x")).rejects.toThrow("two is silent");
  now += 10_000;
  failures.clear();
  expect(await nodes.balance("0x", "0x")).toBe(1n);
  expect(told).toEqual(["1: two is silent"]);
  asked.splice(0);
});

it("the data service does not hide a bug behind the next node", async () => {
  failures.set("one", new TypeError("a bug"));
  await expect(anyNode([node("one", 1n), node("two", 2n)], () => now).balance("0x", "0x")).rejects.toThrow(
    "a bug",
  );
});
