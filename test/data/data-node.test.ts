import { expect, it } from "vitest";
import { createDataNode } from "../../src/data/nodes/data-node.js";
import { createNodeBalances } from "../../src/data/nodes/read-balances.js";
import { ChainError, MissingStateError, ReorgError } from "../../src/runtime/chain/chain.js";
import { RpcError } from "../../src/runtime/chain/rpc-errors.js";

const [wallet, token] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
const question = { chain: "anvil", wallet, blockHash: `0x${"3".repeat(64)}` };

/** The balance that is read from a node that fails. */
function read(error: Error): Promise<readonly (bigint | undefined)[] | undefined> {
  const node = createDataNode({ request: () => Promise.reject(error) });
  return createNodeBalances(new Map([["anvil", node]])).read(question, [token]);
}

it.each([
  new ReorgError("unknown block"),
  new MissingStateError("missing trie node"),
  new ChainError("no answer"),
])("a node that does not answer has no balances: %s", async (error) => {
  expect(await read(error)).toBeUndefined();
});

it.each([
  "execution reverted",
  "EVM error OutOfGas",
  "out of gas",
  "stack underflow (0 <=> 2)",
])("a contract that fails has no balance, and the others do: %s", async (reason) => {
  const error = new RpcError("eth_call", "http://node", { code: -32_000, reason, data: undefined });
  expect(await read(error)).toEqual([undefined]);
});
