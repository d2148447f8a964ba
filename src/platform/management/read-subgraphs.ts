import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { listSubgraphs, type ShownVersion, showSubgraph } from "../subgraphs/read-subgraphs.js";
import type { Handlers } from "./operations.js";
import { pagination, placeOf, usualPageSize } from "./pages.js";
import { subgraphOf } from "./show-subgraph.js";

/** The most versions and tags listed for one name. */
const mostOfName = 1000;

type Reads = "listSubgraphs" | "getSubgraph" | "getSubgraphVersion" | "listSubgraphChains";

/** Lists of versions and tags. */
export function subgraphReads(platform: Platform): Pick<Handlers, Reads> {
  const { hosting, settings } = platform;
  const dataOf = (shown: readonly ShownVersion[]) => shown.map((one) => subgraphOf(one, settings.address()));
  return {
    listSubgraphs: async ({ query, request }) => {
      const { page_size: size = usualPageSize, page_token: token } = query;
      const after = token === undefined || token === "" ? undefined : placeOf(token);
      const page = { limit: size, ...(after && { after }) };
      const { shown, hasMore } = await listSubgraphs(platform, callerOf(request), page, request.log);
      return {
        data: dataOf(shown),
        pagination: pagination(size, hasMore ? shown.at(-1)?.entry : undefined),
      };
    },
    getSubgraph: async ({ path: { name }, request }) => {
      const page = { name, limit: mostOfName };
      const { shown } = await listSubgraphs(platform, callerOf(request), page, request.log);
      if (shown.length === 0) throw new Problem("subgraph-not-found", `There is no subgraph "${name}".`);
      return {
        data: dataOf(shown),
        pagination: pagination(Math.max(usualPageSize, shown.length), undefined),
      };
    },
    getSubgraphVersion: async ({ path, request }) => {
      const shown = await showSubgraph(platform, callerOf(request), path, request.log);
      return { data: dataOf([shown]), pagination: pagination(usualPageSize, undefined) };
    },
    listSubgraphChains: async () => {
      const networks = hosting.engines.flatMap((engine) => engine.networks);
      return { data: { supported_chains: [...new Set(networks)] } };
    },
  };
}
