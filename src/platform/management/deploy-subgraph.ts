import type { FastifyRequest } from "fastify";
import type { DeployedSubgraph } from "../../api/deploy-form.js";
import { ByteShares } from "../../base/turns/byte-shares.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { bundleLimits } from "../../subgraph/unzip-bundle.js";
import { goneOf } from "../http/limits/gone-of.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { deploySubgraph } from "../subgraphs/deploy-subgraph.js";
import { pageOf } from "../subgraphs/page-of.js";
import { showSubgraph } from "../subgraphs/read-subgraphs.js";
import { openBuild } from "../subgraphs/received-build.js";
import { readDeployForm } from "./deploy-form.js";
import type { Handlers } from "./operations.js";
import { subgraphOf } from "./show-subgraph.js";

/** The most bytes of uploads in memory. */
const uploadLimits = {
  all: 4 * bundleLimits.compressed,
  one: 2 * bundleLimits.compressed,
  refusal: "Too many bytes are being uploaded. Wait for the other uploads, then try again.",
};
/**
 * Deployments. A bundle unpacks to as much as 100 MB, and its modules are compiled. Projects take turns, and small bundles do
 * not wait for large ones.
 */
const deployLimits = {
  atOnce: 1,
  atOnceOfOne: 1,
  waitingOfOne: 20,
  refusal: "This project has 20 deployments waiting already. Wait for them, then try again.",
};

/** Bytes that a small bundle unpacks to at most. */
const smallBundle = 8_000_000;

/**
 * Deploys the build of a form. Deploying an existing version again gets the answer of the first time: 201, the only
 * success that the contract knows.
 */
export function deploying(platform: Platform): Pick<Handlers, "deploySubgraph"> {
  const uploads = new ByteShares(uploadLimits);
  const turns = { small: new FairTurns(deployLimits), large: new FairTurns(deployLimits) };
  return {
    deploySubgraph: async ({ path, request }) => {
      const caller = callerOf(request);
      platform.memory?.require();
      // The bundle is in memory from its first byte until the deployment is recorded.
      const { entry, graft, warnings } = await uploads.hold(caller.project, sizeOf(request), async () => {
        const { bundle, ...wanted } = await readDeployForm(request);
        const received = openBuild(bundle);
        const deploy = async () => {
          platform.memory?.require();
          const build = await received.read();
          return deploySubgraph(platform, caller, path, { ...wanted, build });
        };
        const size = received.size <= smallBundle ? "small" : "large";
        return turns[size].run(caller.project, deploy, goneOf(request));
      });
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

/** The bytes of a request's body; the maximum if the request does not say. */
function sizeOf({ headers }: Pick<FastifyRequest, "headers">): number {
  const stated = Number(headers["content-length"] ?? bundleLimits.compressed);
  return Math.min(stated, bundleLimits.compressed);
}
