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

/** A chain, and the methods that its node was asked for. */
interface WatchedNode {
  readonly anvil: Anvil;
  readonly url: string;
  readonly methods: string[];
}

async function nodeOf(chainId: string): Promise<WatchedNode> {
  const anvil = await Anvil.start(["--chain-id", chainId]);
  onTestFinished(() => anvil.stop());
  const methods: string[] = [];
  const node = await startDouble(async ({ body }) => {
    methods.push(...[JSON.parse(body.toString())].flat().map(({ method }: { method: string }) => method));
    const headers = { "content-type": "application/json" };
    const answer = await fetch(anvil.url, { method: "POST", headers, body });
    return { status: answer.status, body: await answer.text(), type: "application/json" };
  });
  onTestFinished(() => node.stop());
  return { anvil, url: node.url, methods };
}

async function serverOf(nodes: readonly WatchedNode[]) {
  const said: string[] = [];
  const server = await startServer({
    database: keptOpen(await fresh()),
    world,
    secretKey: new Uint8Array(32).fill(7),
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    datasets: true,
    nodes: new Map([["mainnet", nodes.map(({ url }) => url)]]),
    engines: { database: "memory", verify: "bloom" },
    createPipelines: pipelinesOn({ verify: "bloom" }),
    say: (level, text) => void said.push(`${level}: ${text}`),
  });
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${server.newKey}` };
  const ask = (path: string, request?: RequestInit): Promise<Response> =>
    fetch(`${server.address}${path}`, { headers, ...request });
  const dataOf = async <Data>(path: string, method = "GET", body?: object): Promise<Data> => {
    const type = { ...headers, "content-type": "application/json" };
    const sent = body ? { headers: type, body: JSON.stringify(body) } : {};
    const answer = await ask(`/api/v1${path}`, { method, ...sent });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: Data }).data;
  };
  const { api_key } = await dataOf<{ readonly api_key: string }>("/edge", "POST", { name: "app" });
  const edge = async (method: string, ...params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await ask(`/edge/rpc/mainnet?secret=${api_key}`, { method: "POST", headers: {}, body });
    return { status: answer.status, text: await answer.text() };
  };
  return { server, said, ask, dataOf, edge };
}

interface ShownChain {
  readonly network: string;
  readonly state: string;
  readonly nodes: readonly { readonly name: string; readonly set_aside: string | null }[];
}

interface PipelineInfo {
  readonly error?: string | null;
  readonly sinks?: { readonly stored?: { readonly lag?: { readonly blocks?: number } } };
}

const definition = `
name: blocks
sources:
  blocks: { type: dataset, dataset_name: ethereum.raw_blocks, start_at: earliest }
sinks:
  stored: { type: blackhole, from: blocks }
`;

it.each([
  "first",
  "last",
])("no part of a server uses a node of another chain that comes %s in a pool", async (place) => {
  const [right, wrong] = [await nodeOf("1"), await nodeOf("137")];
  const { token, bundle } = await tokens(right.anvil);
  await right.anvil.transact(moving(right.anvil, token, 1, 5));
  await right.anvil.mine(300);
  await wrong.anvil.mine(700);
  const pool = place === "first" ? [wrong, right] : [right, wrong];
  const { server, said, ask, dataOf, edge } = await serverOf(pool);
  const head = await right.anvil.blockNumber();

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
  const file = await ask("/api/v1/datasets/ethereum.raw_blocks/file?from_block=0&to_block=9");
  expect([file.status, file.headers.get("graphloom-chain-id")]).toEqual([200, "1"]);
  expect(JSON.parse((await edge("eth_chainId")).text).result).toBe("0x1");
  expect(JSON.parse((await edge("eth_blockNumber")).text).result).toBe(`0x${head.toString(16)}`);
  expect(new Set(wrong.methods)).toEqual(new Set(["eth_chainId"]));

  const sentence = `The node ${wrong.url} serves chain 137, but mainnet is chain 1. Its answers are not used`;
  expect(said).toEqual([`warn: ${sentence}`]);
  const [chain] = await dataOf<readonly ShownChain[]>("/nodes");
  expect(chain?.state).toBe("up");
  expect(new Map(chain?.nodes.map(({ name, set_aside }) => [name, set_aside]))).toEqual(
    new Map([
      [right.url, null],
      [wrong.url, sentence],
    ]),
  );
});

it("a server whose only node is on another chain uses none of its answers, and reports this everywhere", async () => {
  const [right, wrong] = [await nodeOf("1"), await nodeOf("137")];
  const { bundle } = await tokens(right.anvil);
  await wrong.anvil.mine(300);
  const { server, said, ask, dataOf, edge } = await serverOf([wrong]);
  await ask("/api/v1/subgraphs/moves/deployments/1.0.0", { method: "PUT", body: deployForm(bundle.zip) });
  const engine = server.platform.hosting.engine("embedded");
  const held = await until(async () => {
    const status = (await engine.status([bundle.deployment])).get(bundle.deployment);
    return status?.waitsFor === undefined ? undefined : status;
  });
  expect(held.waitsFor).toContain("mainnet is chain 1, but the node serves chain 137.");
  expect(held.nodeState?.kind).toBe("other-chain");
  await dataOf("/pipelines/blocks/definition", "PUT", { text: definition });
  const { error } = await until(async () => {
    const info = await dataOf<PipelineInfo>("/pipelines/blocks/info");
    return info.error ? info : undefined;
  });
  expect(error).toContain("chain 137");
  const file = await ask("/api/v1/datasets/ethereum.raw_blocks/file?from_block=0&to_block=9");
  expect(file.status).toBe(503);
  const answers = [await edge("eth_chainId"), await edge("eth_blockNumber")];
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  expect(answers[0]?.text).toContain("The node of mainnet serves another chain");
  expect(new Set(wrong.methods)).toEqual(new Set(["eth_chainId"]));
  const [chain] = await dataOf<readonly ShownChain[]>("/nodes");
  expect(chain?.state).toBe("other-chain");
  expect(said.filter((line) => line.startsWith("warn: The node "))).toHaveLength(1);
});
