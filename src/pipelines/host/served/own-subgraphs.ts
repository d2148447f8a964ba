import type { PortCaller } from "../../../base/turns/port-calls.js";
import type { Database } from "../../../store/database/database.js";
import { isDeploymentId } from "../../definition/read-subgraphs.js";
import { openSubgraphCatalog } from "../../plan/open-catalog.js";
import type { SubgraphCatalog } from "../../plan/subgraph-catalog.js";
import type { HostCalls, HostFailure } from "../messages.js";

/** The subgraphs of the project of a pipeline, and no others. */
export function ownSubgraphs(database: Database, calls: PortCaller<HostCalls, HostFailure>): SubgraphCatalog {
  const catalog = openSubgraphCatalog(database, {
    named: (name) => calls.call("builds", name),
    all: () => calls.call("subgraphs"),
    isPaused: (deployment) => calls.call("isPaused", deployment),
  });
  return {
    async find(name, version) {
      const isBuild = version === undefined || isDeploymentId(name);
      const isKnown = !isBuild || (await calls.call("shows", name));
      const found = isKnown ? await catalog.find(name, version) : undefined;
      if (found && found.kind !== "unknown-name") return found;
      return { kind: "unknown-name", names: await calls.call("subgraphs") };
    },
  };
}
