import { describe, expect, it, onTestFinished } from "vitest";
import { createRpcClient } from "../../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain, type RpcChainOptions } from "../../../src/runtime/chain/rpc-chain.js";
import {
  type FaultyNode,
  NodeError,
  type RpcCall,
  startFaultyNode,
} from "../../support/chain/faulty-node.js";
import { type ListRefusal, listRefusals } from "../../support/chain/list-refusals.js";
import { address, hash, rawLog } from "../../support/chain/raw-chain.js";
import { fastWorld } from "../../support/worlds.js";

const limit = 7;
const owners = Array.from({ length: 24 }, (_, index) => address(index));
const topics = Array.from({ length: 16 }, (_, index) => hash(index + 1));
const filter = [{ addresses: owners, topics }];

interface Query {
  readonly fromBlock?: string;
  readonly toBlock?: string;
  readonly address?: readonly string[];
  readonly topics?: readonly [readonly string[]];
}

const queryOf = ({ params }: RpcCall): Query => params[0] as Query;

function isLong(call: RpcCall, { list }: ListRefusal): boolean {
  const { address: own = [], topics: [first = []] = [] } = queryOf(call);
  return (list !== "topics" && own.length > limit) || (list !== "addresses" && first.length > limit);
}

/** Starts a node that has a log of each address with each topic in block 3, and refuses long lists. */
async function startNode(refusal: ListRefusal): Promise<FaultyNode> {
  const { status = 200, code = 0, message = "", body } = refusal;
  const node = await startFaultyNode((call) => {
    if (isLong(call, refusal)) throw new NodeError(code, message);
    const {
      fromBlock = "0x3",
      toBlock = "0x3",
      address: own = [],
      topics: [first = []] = [],
    } = queryOf(call);
    if (Number(fromBlock) > 3 || Number(toBlock) < 3) return [];
    return own.flatMap((owner) =>
      first.map((topic) => {
        const index = owners.indexOf(owner) * topics.length + topics.indexOf(topic);
        return rawLog(3, index, { address: owner, topics: [topic] });
      }),
    );
  });
  onTestFinished(() => node.stop());
  node.rule((calls) => {
    const long = calls.find((call) => isLong(call, refusal));
    if (!long || status === 200) return undefined;
    const text = body ?? JSON.stringify({ jsonrpc: "2.0", id: long.id, error: { code, message } });
    return { kind: "status", status, text };
  });
  return node;
}

const chainOf = (node: FaultyNode, options: RpcChainOptions = {}) =>
  createRpcChain(createRpcClient(node.url, fastWorld(), { patience: 20_000 }), options);
const refusedBy = (node: FaultyNode, refusal: ListRefusal): number =>
  node.exchanges.flat().filter((call) => isLong(call, refusal)).length;

describe("a query of logs with lists that a node refuses is split", () => {
  it.each(listRefusals)("$name: $status $code $message", async (refusal) => {
    const node = await startNode(refusal);
    const chain = chainOf(node);
    const logs = await chain.logs(1, 4, filter);
    expect(logs.map(({ logIndex }) => logIndex)).toEqual(
      Array.from({ length: owners.length * topics.length }, (_, index) => index),
    );
    const before = refusedBy(node, refusal);
    expect(before).toBeLessThan(refusal.name === "results" ? 500 : 100);
    // The limit is known from now on. Longer lists are tried again now and then if the node did not mention them.
    for (let time = 0; time < 2; time++) await chain.logs(1, 4, filter);
    const { message = "" } = refusal;
    if (/address|topic/.test(message)) expect(refusedBy(node, refusal)).toBe(before);
    else if (refusal.name !== "results") expect(refusedBy(node, refusal) - before).toBeLessThan(before);
    expect(await chain.logsOf({ number: 3, hash: hash(3) }, filter)).toHaveLength(logs.length);
  });
});

it("a query of all addresses is not repeated endlessly if a node refuses it for another reason", async () => {
  const node = await startFaultyNode(() => {
    throw new NodeError(-32602, "invalid argument");
  });
  onTestFinished(() => node.stop());
  await expect(chainOf(node).logs(1, 1, filter)).rejects.toThrow("invalid argument");
  expect(node.exchanges.flat().length).toBeLessThan(15);
});

it("a range is narrowed before lists are shortened if a node does not say which one is too long", async () => {
  const wide = ({ fromBlock, toBlock }: Query): boolean => Number(toBlock) - Number(fromBlock) >= 2;
  const node = await startFaultyNode((call) => {
    if (wide(queryOf(call))) throw new NodeError(-32602, "Request blocked");
    return [];
  });
  onTestFinished(() => node.stop());
  await chainOf(node).logs(1, 16, filter);
  expect(node.exchanges.flat().every((call) => queryOf(call).address?.length === owners.length)).toBe(true);
});
