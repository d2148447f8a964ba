import { expect, it, onTestFinished } from "vitest";
import { pipelinesOn } from "../../src/pipelines/host/create-pipeline-engine.js";
import { startServer } from "../../src/platform/start-server.js";
import { tokens } from "../hosting/hosted.js";
import { moving } from "../runtime/token-subgraph.js";
import { Anvil } from "../support/chain/anvil.js";
import { onPglite, world } from "../support/database/databases.js";
import { startDouble } from "../support/network/double-server.js";
import { deployForm, keptOpen } from "../support/server/platform-server.js";
import { until } from "../support/until.js";

const { fresh } = onPglite();
const blocks = 400;
/** Milliseconds between two polls of the head. */
const interval = 1_000;

/** A call as the node received it. */
interface ReceivedCall {
  readonly at: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

it("a subgraph, a pipeline, a dataset and an edge client share their requests to a node", async () => {
  const anvil = await Anvil.start(["--chain-id", "1"]);
  onTestFinished(() => anvil.stop());
  const { token, bundle } = await tokens(anvil);
  await anvil.transact(moving(anvil, token, 1, 5));
  await anvil.mine(blocks);
  const calls: ReceivedCall[] = [];
  const node = await startDouble(async ({ body }) => {
    const asked: ReceivedCall[] = [JSON.parse(body.toString())].flat();
    calls.push(...asked.map(({ method, params }) => ({ at: Date.now(), method, params })));
    const headers = { "content-type": "application/json" };
    const answer = await fetch(anvil.url, { method: "POST", headers, body });
    return { status: answer.status, body: await answer.text(), type: "application/json" };
  });
  onTestFinished(() => node.stop());
  const server = await startServer({
    database: keptOpen(await fresh()),
    world,
    secretKey: new Uint8Array(32).fill(7),
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    datasets: true,
    nodes: new Map([["mainnet", [node.url]]]),
    engines: { database: "memory", verify: "bloom" },
    createPipelines: pipelinesOn({ verify: "bloom" }),
  });
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${server.newKey}` };
  const ask = async (path: string, request?: RequestInit): Promise<Response> => {
    const answer = await fetch(`${server.address}${path}`, { headers, ...request });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return answer;
  };
  const dataOf = async <Data>(path: string, method = "GET", body?: object): Promise<Data> => {
    const type = { ...headers, "content-type": "application/json" };
    const sent = body ? { headers: type, body: JSON.stringify(body) } : {};
    const answer = (await (await ask(`/api/v1${path}`, { method, ...sent })).json()) as { data: Data };
    return answer.data;
  };
  /** The requests that the node gets while something is done. */
  const during = async (work: () => Promise<unknown>): Promise<readonly ReceivedCall[]> => {
    const before = calls.length;
    await work();
    return calls.slice(before);
  };
  const head = await anvil.blockNumber();

  await ask("/api/v1/subgraphs/moves/deployments/1.0.0", { method: "PUT", body: deployForm(bundle.zip) });
  const engine = server.platform.hosting.engine("embedded");
  await until(
    async () => (await engine.status([bundle.deployment])).get(bundle.deployment)?.headBlock === head,
  );
  await dataOf("/pipelines/blocks/definition", "PUT", { text: definition });
  await until(async () => {
    const { sinks } = await dataOf<PipelineInfo>("/pipelines/blocks/info");
    return sinks?.stored?.lag?.blocks === 0;
  });
  const { params: block } = calls.find(isFinalBlock) ?? {};
  const made = await dataOf<{ readonly api_key: string }>("/edge", "POST", { name: "app" });
  const edge = async (method: string, params: unknown): Promise<void> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const path = `/edge/rpc/mainnet?secret=${made.api_key}`;
    expect(await (await ask(path, { method: "POST", headers: {}, body })).json()).toHaveProperty("result");
  };

  // The pipeline has read these blocks.
  const file = await during(async () =>
    (await ask("/api/v1/datasets/ethereum.raw_blocks/file?from_block=0&to_block=99")).arrayBuffer(),
  );
  expect(file.filter(isFinalBlock)).toEqual([]);
  const read = await during(() => edge("eth_getBlockByNumber", block));
  expect(read.filter(isFinalBlock)).toEqual([]);

  // All four need the head.
  const polled = await during(async () => {
    for (const heads = calls.filter(isHead).length; calls.filter(isHead).length < heads + 4; ) {
      await edge("eth_getBlockByNumber", ["latest", false]);
      await dataOf("/datasets");
    }
  });
  const times = polled.filter(isHead).map(({ at }) => at);
  const elapsed = (times.at(-1) ?? 0) - (times[0] ?? 0);
  expect(times.length).toBeLessThanOrEqual(elapsed / interval + 2);
});

interface PipelineInfo {
  readonly sinks?: { readonly stored?: { readonly lag?: { readonly blocks?: number } } };
}

const definition = `
name: blocks
sources:
  blocks: { type: dataset, dataset_name: ethereum.raw_blocks, start_at: earliest }
sinks:
  stored: { type: blackhole, from: blocks }
`;

function isHead({ method, params }: ReceivedCall): boolean {
  return method === "eth_getBlockByNumber" && params[0] === "latest";
}

/** Whether a call asks for one of the first blocks by its number. */
function isFinalBlock({ method, params }: ReceivedCall): boolean {
  return method === "eth_getBlockByNumber" && Number(params[0]) > 0 && Number(params[0]) < 100;
}
