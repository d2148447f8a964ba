import type { DeployResult } from "../../deploy/deploy-all.js";
import { networkOf } from "../../subgraph/build.js";
import { isHalted, type WaitEnd } from "./await-indexing.js";
import { type ResultFacts, reasonOf } from "./report-results.js";

/**
 * The document of `--output json`: one object for each subgraph.
 * @param silence why the status could not be polled, if so
 */
export function resultsAsJson(
  results: readonly DeployResult[],
  { ends, sharing }: ResultFacts,
  silence?: string,
): readonly object[] {
  return results.map((result) => {
    const { request, state, tags } = result;
    const deployment = "deployment" in result ? result.deployment : undefined;
    const end = ends.get(result);
    return {
      name: request.name,
      version: request.version,
      chain: networkOf(request.build),
      state,
      deployment_id: deployment?.deploymentId ?? null,
      shares_deployment_with: sharing(result),
      query_url: deployment?.queryUrl ?? null,
      tags,
      warnings: deployment?.warnings ?? [],
      indexing: end ? { state: end.state, block: end.status?.block ?? null } : null,
      error: reasonOf(result) ?? failureText(end) ?? (end ? null : (silence ?? null)),
    };
  });
}

/** The error with which a deployment failed, was paused, or fails repeatedly. */
function failureText(end: WaitEnd | undefined): string | null {
  if (!end) return null;
  const { state, status } = end;
  if (state === "failed") return status?.fatalError ?? "indexing failed";
  if (state === "waiting") return status?.fatalError ?? null;
  return state === "paused" && isHalted(status) ? (status?.lastError ?? "indexing failed") : null;
}
