import { expect, it, onTestFinished } from "vitest";
import { Consumer } from "../../src/nodes/consumer.js";
import { Gateway } from "../../src/nodes/gateway.js";
import { fetchOf } from "../../src/nodes/gateway-fetch.js";
import { createPatience } from "../../src/runtime/chain/patience.js";
import { createPatientChain } from "../../src/runtime/chain/patient-chain.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { createRpcClient } from "../../src/runtime/chain/rpc-client.js";
import { NodeError, type RpcCall, startFaultyNode } from "../support/chain/faulty-node.js";
import { type RangeRefusal, rangeRefusals } from "../support/chain/range-refusals.js";
import { hash, rawLog } from "../support/chain/raw-chain.js";
import { fastWorld } from "../support/worlds.js";

const blocks = 200;
const filter = [{ addresses: [], topics: [hash(1)] }];

async function readAll(
  { limit = 5, status = 200, code = 0, message = "", data, body }: RangeRefusal,
  count: number,
) {
  const rangeOf = ({ params }: RpcCall): readonly [from: number, to: number] => {
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
    return [Number(fromBlock), Number(toBlock)];
  };
  const isWide = (call: RpcCall): boolean => {
    if (call.method !== "eth_getLogs") return false;
    const [from, to] = rangeOf(call);
    return to - from + 1 > limit;
  };
  const nodes = await Promise.all(
    Array.from({ length: count }, async () => {
      const node = await startFaultyNode((call) => {
        if (call.method !== "eth_getLogs") return "0x1";
        if (isWide(call)) throw new NodeError(code, message, data);
        const [from, to] = rangeOf(call);
        return Array.from({ length: to - from + 1 }, (_, index) => rawLog(from + index, 0));
      });
      onTestFinished(() => node.stop());
      node.rule((calls) => {
        const wide = calls.find(isWide);
        if (!wide || status === 200) return undefined;
        const error = { code, message, ...(data !== undefined && { data }) };
        const text = body ?? JSON.stringify({ jsonrpc: "2.0", id: wide.id, error });
        return { kind: "status", status, text };
      });
      return node;
    }),
  );
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const world = fastWorld();
  const gateway = new Gateway(
    nodes.map(({ url }) => url),
    { pollInterval: 1_000, metered: { network: "mainnet", meters: undefined } },
    world,
    closing.signal,
  );
  const consumer = new Consumer({ kind: "indexing", project: "a", name: "a" });
  const fetch = fetchOf((text) => gateway.answer(consumer, text));
  const client = createRpcClient(gateway.name, { ...world, fetch }, { patience: 20_000 });
  const chain = createPatientChain(createRpcChain(client), createPatience({ patience: 20_000 }));
  const logs = await chain.logs(1, blocks, filter);
  return {
    found: logs.map(({ block }) => block.number),
    requests: nodes.map(({ exchanges }) => exchanges.length),
  };
}

it.each(rangeRefusals)("$name: $status $code $message", async (refusal) => {
  for (const count of [1, 2]) {
    const { found, requests } = await readAll(refusal, count);
    console.log(refusal.name, JSON.stringify(requests));
    expect(found).toEqual(Array.from({ length: blocks }, (_, index) => index + 1));
  }
});
