import type { DeployedSubgraph } from "../../api/deploy-form.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { deploySubgraph } from "../subgraphs/deploy-subgraph.js";
import { pageOf } from "../subgraphs/page-of.js";
import { showSubgraph } from "../subgraphs/read-subgraphs.js";
import { readBuild } from "../subgraphs/received-build.js";
import { readDeployForm } from "./deploy-form.js";
import type { Handlers } from "./operations.js";
import { subgraphOf } from "./show-subgraph.js";

/**
 * Deploys the build of a form. Deploying an existing version again gets the answer of the first time: 201, the only
 * success that the contract knows.
 */
export function deploying(platform: Platform): Pick<Handlers, "deploySubgraph"> {
  return {
    deploySubgraph: async ({ path, request }) => {
      const caller = callerOf(request);
      const { bundle, ...wanted } = await readDeployForm(request);
      const build = await readBuild(bundle);
      const { entry, graft, warnings } = await deploySubgraph(platform, caller, path, { ...wanted, build });
      const shown = await showSubgraph(platform, caller, entry, request.log);
      const answer: DeployedSubgraph = {
        ...subgraphOf(shown, platform.settings.address()),
        page_url: `${platform.settings.address()}${pageOf(entry)}`,
        ...(graft && { graft }),
        ...(warnings.length > 0 && { warnings }),
      };
      return answer;
    },
  };
}
