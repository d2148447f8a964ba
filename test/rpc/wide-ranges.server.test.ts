import { expect, it, onTestFinished } from "vitest";
import type { World } from "../../src/base/world.js";
import { Consumer } from "../../src/rpc/consumer.js";
import { Gateway } from "../../src/rpc/gateway.js";
import { fetchOf } from "../../src/rpc/gateway-fetch.js";
import { createPatience } from "../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../src/runtime/chain/rpc/patient-chain.js";
import { createRpcClient } from "../../src/runtime/chain/rpc/rpc-client.js";
import { createRpcChain } from "../../src/runtime/chain/rpc-chain.js";
import { type RangeRefusal, rangeRefusals } from "../support/chain/range-refusals.js";
import { hash } from "../support/chain/raw-chain.js";
import { startRefusingNode } from "../support/chain/refusing-node.js";
import { fastWorld } from "../support/worlds.js";
import { askerNamed } from "./asker-named.js";

const blocks = 32;
const filter = [{ addresses: [], topics: [hash(1)] }];
const world = fastWorld();

/** How a part of a server reads through the gateway. */
const readers: Readonly<Record<string, (gateway: Gateway) => World["fetch"]>> = {
  "a subgraph, a pipeline or a dataset": (gateway) => {
    const consumer = new Consumer({ kind: "indexing", project: "p", name: "" });
    return fetchOf((body) => gateway.answer(consumer, body));
  },
  // It gets the JSON of an answer, or the status 503.
  "a program that indexes through the edge":
    (gateway) =>
    async (_, { body }) => {
      const { status, bytes } = await gateway.answer(askerNamed("p"), String(body));
      return status === 200
        ? new Response(Buffer.from(bytes))
        : Response.json({ detail: `The node did not answer (status ${status}).` }, { status: 503 });
    },
};

async function readAll(refusal: RangeRefusal, count: number, reader: string): Promise<readonly number[]> {
  const nodes = await Promise.all(Array.from({ length: count }, () => startRefusingNode(refusal)));
  const closing = new AbortController();
  onTestFinished(() => closing.abort());
  const gateway = new Gateway(
    nodes.map(({ url }) => url),
    { pollInterval: 1_000, metered: { network: "mainnet", meters: undefined } },
    world,
    closing.signal,
  );
  const fetch = readers[reader]?.(gateway) ?? world.fetch;
  const client = createRpcClient(gateway.name, { ...world, fetch }, { patience: 20_000 });
  const chain = createPatientChain(createRpcChain(client), createPatience({ patience: 20_000 }));
  const logs = await chain.logs(1, blocks, filter);
  return logs.map(({ block }) => block.number);
}

const all = Array.from({ length: blocks }, (_, index) => index + 1);

it.each(
  Object.keys(readers).flatMap((reader) => rangeRefusals.map((refusal) => ({ ...refusal, reader, refusal }))),
)("$reader narrows a range through a server's nodes: $name, $status $code $message", async ({
  refusal,
  reader,
}) => {
  for (const count of [1, 2]) expect(await readAll(refusal, count, reader)).toEqual(all);
});
