import { onTestFinished } from "vitest";
import { openOwnService } from "../../../src/cli/serve/open-own-service.js";
import type { DataService } from "../../../src/data/service/data-service.js";
import type { Compilation } from "../../../src/exports/index.js";
import { createNodeWorld } from "../../../src/machine/world.js";
import { edgePart } from "../../../src/platform/edge/edge-part.js";
import { managementPart } from "../../../src/platform/management/management-part.js";
import { openHosting } from "../../../src/platform/open-hosting.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { openOwnDatabase } from "../../../src/store/open.js";
import { bundleOf } from "../../hosting/hosted.js";
import type { Anvil } from "../chain/anvil.js";
import { ask } from "../data/asked.js";
import { serverDatabase, world } from "../database/databases.js";
import { deployForm, startPlatform } from "../server/platform-server.js";
import { until } from "../until.js";

/**
 * Deploys a market to a server with `--data-service here`, on a PostgreSQL server, for one test.
 * @returns the server's data service, as the key of an edge endpoint reaches it, once the chain is indexed to its head
 */
export async function deployMarket(built: Compilation, anvil: Anvil): Promise<DataService> {
  const address = await serverDatabase();
  const database = await openOwnDatabase(address, createNodeWorld());
  onTestFinished(() => database.close());
  const { signal } = new AbortController();
  const platform = await startPlatform(database, {
    dataService: openOwnService(database, new Uint8Array(32).fill(7), new Nodes(new Map(), world), signal),
    nodes: new Map([["matic", [anvil.url]]]),
    createHosting: (nodes) => openHosting(database, nodes, { database: address, verify: "bloom" }, { world }),
    parts: [managementPart(), edgePart],
  });
  onTestFinished(() => platform.close());
  const { zip } = bundleOf(built);
  const deployed = await platform.ask("/subgraphs/market/deployments/1.0.0", {
    method: "PUT",
    form: deployForm(zip, { start_block: "1" }),
  });
  if (deployed.status !== 201) throw new Error(`the market is not deployed: ${deployed.text}`);
  const endpoint = { method: "POST", body: { name: "market", product: "data" } };
  const { api_key: key } = (await platform.ask("/edge", endpoint)).json.data;
  const service: DataService = {
    answer: async ({ url }) => {
      const answer = await fetch(`${platform.address}/edge/data${url}`, { headers: { "x-api-key": key } });
      const headers = Object.fromEntries(answer.headers);
      return { status: answer.status, headers, body: await answer.text() };
    },
  };
  const head = await anvil.blockNumber();
  await until(async () => (await ask(service, "/status")).body.market?.indexed_to === head);
  return service;
}

/** All rows of an operation about a wallet, page by page. */
export async function askAll(
  service: DataService,
  path: string,
  query: Readonly<Record<string, string | number | boolean>>,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await ask(service, path, cursor === undefined ? query : { cursor });
    if (status !== 200) throw new Error(`${path} answers with ${status}: ${JSON.stringify(body)}`);
    rows.push(...body.data);
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
