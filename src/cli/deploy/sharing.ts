import type { DeployResult } from "../../deploy/deploy-all.js";
import type { DeployTarget } from "../../deploy/target.js";
import { explainFailure } from "../remote/run-remote.js";

/** The labels of the other versions that share a result's deployment: `pools/1.0.0`. */
export type Sharing = (result: DeployResult) => readonly string[];

/**
 * Looks up which versions share one deployment because their content is the same. Ignores a failed lookup, since the
 * deployment itself succeeded.
 */
export async function findSharing(results: readonly DeployResult[], target: DeployTarget): Promise<Sharing> {
  if (!target.versions || !results.some((result) => idOf(result) !== undefined)) return () => [];
  try {
    const versions = await target.versions();
    return (result) => {
      const { name, version } = result.request;
      const own = `${name}/${version}`;
      const labels = (versions.get(idOf(result) ?? "") ?? []).map((each) => `${each.name}/${each.version}`);
      return labels.filter((label) => label !== own);
    };
  } catch (error) {
    if (!explainFailure(error)) throw error;
    return () => [];
  }
}

function idOf(result: DeployResult): string | undefined {
  return "deployment" in result && result.state !== "taken" ? result.deployment.deploymentId : undefined;
}
