import { beforeAll, expect, it } from "vitest";
import { moving } from "../runtime/token-subgraph.js";
import { useAnvil } from "../support/chain/anvil.js";
import { onPglite } from "../support/database/databases.js";
import { blocksOfNode } from "../support/portal/blocks-of-node.js";
import { type PortalOptions, type ServedBlock, startPortal } from "../support/portal/played-portal.js";
import { amounts, type Bundle, host, indexed, tokens, until } from "./hosted.js";

const anvil = useAnvil(["--chain-id", "1"]);
const { fresh } = onPglite();
let bundle: Bundle;
let tip: ServedBlock;

beforeAll(async () => {
  await fresh();
  const made = await tokens(anvil());
  bundle = made.bundle;
  for (const amount of [5, 6, 7]) await anvil().transact(moving(anvil(), made.token, 1, amount));
  await anvil().mine(300);
  tip = await blocksOfNode(anvil().client, await anvil().blockNumber());
});

async function sourced(options: Partial<PortalOptions> = {}) {
  const { portal, url } = await startPortal(tip, options);
  const histories = new Map([["mainnet", { kind: "portal", url } as const]]);
  const made = await host({
    database: await fresh(),
    nodes: [anvil().url],
    histories,
  });
  await made.deploy(bundle);
  return { made, portal };
}

it("a server's deployments read old blocks from a source", async () => {
  const { made, portal } = await sourced();
  await indexed(made, bundle);
  expect(await amounts(made, bundle)()).toHaveLength(3);
  expect(portal.asked.length).toBeGreaterThan(0);
});

it("a server reads from the node what a source does not serve, and the deployment's log says so", async () => {
  const { made } = await sourced({ start: tip.number + 1 });
  await indexed(made, bundle);
  expect(await amounts(made, bundle)()).toHaveLength(3);
  expect((await made.log(bundle.deployment)).join("\n")).toContain("Earlier blocks are read from the node");
});

it("a deployment fails for good if its source returned other data than the node", async () => {
  const { made } = await sourced({ alters: 1, altered: ["the data of a log"] });
  const error = await until(
    "it has failed",
    async () => (await made.status(bundle.deployment))?.fatalError?.message,
    (message) => message !== undefined,
  );
  expect(error).toContain("returned other logs of block");
  expect(error).toContain("index again without --source");
});
