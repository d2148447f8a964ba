import { expect, it } from "vitest";
import { anyNode } from "../../src/data/nodes/any-node.js";
import { type DataNode, UnknownStateError } from "../../src/data/nodes/data-node.js";
import { ChainError } from "../../src/runtime/chain/chain.js";

const asked: string[] = [];
const failures = new Map<string, Error>();

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

it("asks the next node where one does not answer or does not know the block, and begins with the one that did", async () => {
  const nodes = anyNode([node("one", 1n), node("two", 2n), node("three", 3n)]);
  expect(await nodes.balance("0x", "0x")).toBe(1n);
  failures.set("one", new ChainError("down")).set("two", new UnknownStateError("unknown block"));
  expect(await nodes.balance("0x", "0x")).toBe(3n);
  expect(await nodes.call("0xc", "0x", "0x")).toBe("0xc");
  expect(asked.splice(0)).toEqual(["one", "one", "two", "three", "three"]);
  failures.set("three", new ChainError("down too"));
  await expect(nodes.create("0x", "0x", "0x")).rejects.toBeInstanceOf(UnknownStateError);
  expect(asked.splice(0)).toEqual(["three", "one", "two"]);
  failures.delete("one");
  expect(await nodes.create("0xd", "0x", "0x")).toBe("0xd");
  expect(await nodes.balance("0x", "0x")).toBe(1n);
  expect(asked.splice(0)).toEqual(["three", "one", "one"]);
});

it("does not hide a bug behind the next node", async () => {
  failures.set("one", new TypeError("a bug"));
  await expect(anyNode([node("one", 1n), node("two", 2n)]).balance("0x", "0x")).rejects.toThrow("a bug");
});
