import type { Platform } from "../../platform.js";
import type { ShownVersion } from "../../subgraphs/read-subgraphs.js";
import { listWebhooks } from "../../webhooks/webhooks.js";
import type { Draft } from "../draft.js";
import type { PageScope } from "../page-scope.js";
import { readOverview } from "../views.js";
import { askedOverview } from "./asked-overview.js";
import { type ChainNode, chainNodes } from "./chain-nodes.js";
import { overview } from "./overview-page.js";

/** Adds the page that lists the subgraphs of a project. */
export function addOverview(pages: PageScope, platform: Platform, draft?: Draft): void {
  const { database, world, settings } = platform;
  pages.get("/", "Viewer", async ({ caller, query, request }) => {
    const shown = await readOverview(platform, caller, request.log, draft);
    const now = world.now();
    const webhooks = await listWebhooks(database, caller.project);
    return overview({
      ...{ shown, draft, now },
      asked: askedOverview(query),
      nodes: await readNodes(platform, shown),
      down: webhooks.filter(({ restsUntil }) => restsUntil !== undefined && restsUntil.getTime() > now),
      address: settings.address(),
    });
  });
}

/** The nodes of the chains on which subgraphs are, those with problems first. */
async function readNodes(
  { hosting }: Pick<Platform, "hosting">,
  shown: readonly ShownVersion[],
): Promise<readonly ChainNode[]> {
  const readings = await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []));
  const statuses = shown.flatMap(({ entry, status }) => (status ? [[entry.network, status] as const] : []));
  return chainNodes(readings.flat(), statuses);
}
