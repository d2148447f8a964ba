import type { RecentNodeCounts } from "../../figures/node-counts.js";
import { readNodes } from "../../figures/read-nodes.js";
import type { Platform } from "../../platform.js";
import type { PageScope } from "../page-scope.js";
import { nodePage } from "./node-page.js";

/** Adds the page of the chains' nodes. @param counts without them, the page has no numbers of requests */
export function addNodePage(
  pages: PageScope,
  platform: Platform,
  counts: RecentNodeCounts | undefined,
): void {
  pages.get("/nodes", "Viewer", async ({ caller, request }) => {
    const chains = await readNodes(platform, caller.project, counts, request.log);
    const archives = await Promise.all(platform.hosting.engines.map((engine) => engine.archive?.()));
    const kept = archives.filter((archive) => archive !== undefined);
    return nodePage(chains, platform.world.now(), kept);
  });
}
