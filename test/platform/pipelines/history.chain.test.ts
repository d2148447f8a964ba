import { beforeAll, expect, it, onTestFinished } from "vitest";
import { pipelinesOn } from "../../../src/pipelines/host/create-pipeline-engine.js";
import { startServer } from "../../../src/platform/start-server.js";
import { moverContract } from "../../cli/external-data/mover.js";
import { type Contract, useAnvil } from "../../support/chain/anvil.js";
import { onPglite, world } from "../../support/database/databases.js";
import { blocksOfNode } from "../../support/portal/blocks-of-node.js";
import { type PortalOptions, startPortal } from "../../support/portal/played-portal.js";
import { keptOpen } from "../../support/server/platform-server.js";
import { until } from "../../support/until.js";

const { fresh } = onPglite();
const anvil = useAnvil(["--chain-id", "1"]);
let mover: Contract;

beforeAll(async () => {
  mover = await anvil().deploy(moverContract.abi, moverContract.bytecode);
  for (const amount of [1n, 2n, 3n, 4n, 5n]) await anvil().send(mover, "move", [anvil().account(1), amount]);
  // Ranges that reach into the last 250 blocks are read from the node.
  await anvil().mine(1_000);
});

interface PipelineInfo {
  readonly sinks?: {
    readonly stored?: {
      readonly lag?: { readonly logs?: number };
    };
  };
}

/** Runs a pipeline on a server with a source. */
async function served(options: Partial<PortalOptions> = {}) {
  const tip = await blocksOfNode(anvil().client, await anvil().blockNumber());
  const { portal, url } = await startPortal(tip, options);
  const histories = new Map([["mainnet", { kind: "portal", url } as const]]);
  const server = await startServer({
    database: keptOpen(await fresh()),
    world,
    secretKey: new Uint8Array(32).fill(7),
    host: "127.0.0.1",
    port: 0,
    version: "0.0.0-test",
    nodes: new Map([["mainnet", [anvil().url]]]),
    engines: { database: "memory", verify: "bloom", histories },
    createPipelines: pipelinesOn({ verify: "bloom" }),
  });
  onTestFinished(() => server.close());
  const headers = { authorization: `Bearer ${server.newKey}`, "content-type": "application/json" };
  const dataOf = async <Data>(path: string, method = "GET", body?: object): Promise<Data> => {
    const sent = body ? { body: JSON.stringify(body) } : {};
    const answer = await fetch(`${server.address}/api/v1${path}`, { method, headers, ...sent });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return ((await answer.json()) as { data: Data }).data;
  };
  await dataOf("/pipelines/moves/definition", "PUT", {
    text: `
name: moves
sources:
  logs: { type: dataset, dataset_name: ethereum.raw_logs, start_at: earliest, filter: "address = '${mover.address}'" }
sinks:
  stored: { type: blackhole, from: logs }
`,
  });
  return { portal, info: () => dataOf<PipelineInfo>("/pipelines/moves/info") };
}

it("a server's pipelines read old blocks from a source", async () => {
  const { portal, info } = await served();
  await until(async () => (await info()).sinks?.stored?.lag?.logs === 0);
  const asked = portal.asked.flatMap(({ logs }) => logs.flatMap(({ address = [] }) => address));
  expect(asked).toContain(mover.address);
});

it("a pipeline stops for good if its source returned other data than the node", async () => {
  const { info } = await served({ alters: 1, altered: ["the data of a log"] });
  await until(async () => JSON.stringify(await info()).includes("returned other logs of block"));
});
