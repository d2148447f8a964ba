import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireEntry, showEntries } from "../subgraphs/find-subgraph.js";
import { listVersions } from "../subgraphs/versions.js";
import type { Handlers } from "./operations.js";
import { pagination, placeOf, usualPageSize } from "./pages.js";

/** The most versions and tags that are shown of one name. */
const mostOfName = 1000;

type Reads = "listSubgraphs" | "getSubgraph" | "getSubgraphVersion" | "listSubgraphChains";

/** Lists of versions and tags. */
export function subgraphReads(platform: Platform): Pick<Handlers, Reads> {
  const { database, hosting } = platform;
  return {
    listSubgraphs: async ({ query, request }) => {
      const { page_size: size = usualPageSize, page_token: token } = query;
      const after = token === undefined || token === "" ? undefined : placeOf(token);
      const { project } = callerOf(request);
      const found = await listVersions(database, project, { limit: size + 1, ...(after && { after }) });
      const shown = found.slice(0, size);
      return {
        data: await showEntries(shown, platform, request.log),
        pagination: pagination(size, found.length > size ? shown.at(-1) : undefined),
      };
    },
    getSubgraph: async ({ path: { name }, request }) => {
      const { project } = callerOf(request);
      const found = await listVersions(database, project, { name, limit: mostOfName });
      if (found.length === 0) throw new Problem("subgraph-not-found", `There is no subgraph "${name}".`);
      const data = await showEntries(found, platform, request.log);
      return { data, pagination: pagination(Math.max(usualPageSize, data.length), undefined) };
    },
    getSubgraphVersion: async ({ path, request }) => {
      const found = await requireEntry(database, { ...path, project: callerOf(request).project });
      const data = await showEntries([found], platform, request.log);
      return { data, pagination: pagination(usualPageSize, undefined) };
    },
    listSubgraphChains: async () => {
      const networks = hosting.engines.flatMap((engine) => engine.networks);
      return { data: { supported_chains: [...new Set(networks)] } };
    },
  };
}
