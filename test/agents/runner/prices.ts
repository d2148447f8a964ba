import { join } from "node:path";
import { graphloom } from "./product.js";
import { type Place, Unsolved } from "./task.js";

/** The block that two tasks ask about. */
export const askedBlock = 8_214_350;

const version = "prices/1.0.0";

/** Deploys the subgraph of an exchange to the server, unless it is there, and waits until it is indexed. */
export async function deployPrices(place: Place): Promise<void> {
  const config = join(place.root, "test/agents/prices.json");
  const args = ["subgraph", "deploy", version, config, "--skip-deployed", "--wait", "synced"];
  const { code, err } = await graphloom(place, args);
  if (code !== 0) throw new Error(`${version} was not deployed: ${err}`);
}

/** The entity with the price of LOOM/WETH, after a block. */
export async function priceAt(
  place: Place,
  block: number,
): Promise<{ readonly id: string; readonly price: string } | undefined> {
  if (!place.server) throw new Error("this task has no server");
  const data = await queryServer(
    place,
    new URL(`/subgraphs/name/${version}`, place.server.api).href,
    `{ prices(where: { pair: "LOOM/WETH" }, block: { number: ${block} }) { id price } }`,
  );
  const [found] = data.prices as readonly { readonly id: string; readonly price: string }[];
  return found;
}

/** Sends a query. @throws Unsolved if it is answered without data */
export async function queryServer(
  { server }: Place,
  url: string,
  query: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${server?.token}` },
    body: JSON.stringify({ query }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Unsolved(`a query was answered with ${answer.status}: ${text}`);
  const { data } = JSON.parse(text) as { readonly data?: Readonly<Record<string, unknown>> };
  if (!data) throw new Unsolved(`a query was answered without data: ${text}`);
  return data;
}
