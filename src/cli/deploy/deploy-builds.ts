import { type DeployOptions, type DeployResult, deployAll } from "../../deploy/deploy-all.js";
import type { DeployRequest, DeployTarget, SubgraphVersion } from "../../deploy/target.js";
import { type Build, networkOf } from "../../subgraph/build.js";
import { printDiagnostics } from "../compile/report-diagnostics.js";
import { printJson } from "../remote/print-json.js";
import { explainFailure } from "../remote/run-remote.js";
import { subgraphVersion, tagList } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type Awaiting, awaitIndexing, isHalted, type WaitEnd } from "./await-indexing.js";
import type { DeploymentArguments } from "./deploy-arguments.js";
import { deploymentFailure } from "./deployment-failure.js";
import type { FoundBuilds } from "./find-builds.js";
import type { OpenTarget } from "./open-target.js";
import { type ResultFacts, reasonOf, reportDeployed, reportFailures } from "./report-results.js";
import { findSharing } from "./sharing.js";

type Step = Parameters<NonNullable<DeployOptions["onStep"]>>[1];

const words: Readonly<Record<Step["step"], string>> = {
  asking: "checking whether it is deployed",
  uploading: "uploading",
  deploying: "deploying",
  tagging: "tagging",
};

export interface BuildAdjustments {
  readonly startBlock?: number | undefined;
  readonly graftFrom?: SubgraphVersion | undefined;
  readonly removeGraft: boolean;
}

/**
 * Deploys the builds of one subgraph, one for each chain, and reports the results.
 * @returns the exit code
 */
export async function deployBuilds(
  subgraph: SubgraphVersion,
  { builds, origins }: FoundBuilds,
  adjustments: BuildAdjustments,
  { target, replaces }: OpenTarget,
  args: DeploymentArguments,
  terminal: Terminal,
): Promise<number> {
  const requests = requestsFor(subgraph, builds, adjustments, args);
  // Every request is checked before anything is sent.
  for (const request of requests) await target.check(request);
  if (args.private) await checkTags(requests, tagList(args.tag), target);
  const line = new StatusLine(terminal, () => performance.now());
  const existing = args.skipDeployed ? "keep" : replaces ? howToReplace(args) : "refuse";
  terminal.onWriting(true);
  let results: readonly DeployResult[];
  try {
    results = await deployAll(requests, target, {
      tags: tagList(args.tag),
      existing,
      onStep: (request, step) => line.show(() => stepLine(request, step)),
    });
  } finally {
    line.end();
    terminal.onWriting(false);
  }
  const code = reportFailures(results, terminal);
  const sharing = await findSharing(results, target);
  const ends = new Map<DeployResult, WaitEnd>();
  let silence: string | undefined;
  const hasDocument = args.output === "json";
  // Report a deployment when its first handlers have run, but at once when syncing may take hours.
  const isReportedLater = code === exitCodes.clean && args.wait === "indexing";
  const report = (): void => reportDeployed(results, target, { ends, sharing }, terminal);
  if (!hasDocument && !isReportedLater) report();
  // An interrupt must not suppress the report.
  terminal.onWriting(hasDocument || isReportedLater);
  try {
    if (code !== exitCodes.clean || args.wait === "none") return code;
    const onEnd: Awaiting["onEnd"] = (result, end) => {
      ends.set(result, end);
      if (end.state !== "failed" || !end.status) return;
      const { name, version } = result.request;
      const diagnostic = deploymentFailure(`${name}/${version}`, end.status, origins);
      // Standard output already holds its only document, so this goes to standard error.
      if (diagnostic) printDiagnostics([diagnostic], { format: "text", color: args.color }, terminal);
    };
    return await awaitIndexing(results, target, { goal: args.wait, onEnd }, terminal);
  } catch (error) {
    silence = explainFailure(error)?.text.trimEnd();
    throw error;
  } finally {
    // Report the deployments whatever the result of waiting.
    if (hasDocument) printJson(resultsAsJson(results, { ends, sharing }, silence), terminal);
    else if (isReportedLater) report();
    terminal.onWriting(false);
  }
}

/** @throws UsageError for a tag with a public endpoint, which would make a private version public */
async function checkTags(
  requests: readonly DeployRequest[],
  tags: readonly string[],
  target: DeployTarget,
): Promise<void> {
  for (const { name } of requests) {
    for (const tag of tags) {
      const found = await target.find({ name, version: tag });
      if (!found?.isPublic) continue;
      throw new UsageError(
        `The tag ${name}/${tag} has a public endpoint, which would make the new version public.`,
        `Close it first: graphloom subgraph update ${name}/${tag} --public-endpoint disabled`,
      );
    }
  }
}

/** With `--wait none` and no status address, the status API need not be reachable. */
function howToReplace({ wait, graphNodeStatus }: DeploymentArguments): "replace" | "overwrite" {
  return wait === "none" && graphNodeStatus === undefined ? "overwrite" : "replace";
}

/** One request per chain; with several chains, each subgraph is named after its chain. */
function requestsFor(
  subgraph: SubgraphVersion,
  builds: readonly Build[],
  { graftFrom, ...adjustments }: BuildAdjustments,
  { description, private: isPrivate }: Pick<DeploymentArguments, "description" | "private">,
): readonly DeployRequest[] {
  return builds.map((build) => {
    const suffix = builds.length > 1 ? `-${networkOf(build)}` : "";
    const { name, version } = subgraphVersion(`${subgraph.name}${suffix}/${subgraph.version}`);
    const base = graftFrom && { name: `${graftFrom.name}${suffix}`, version: graftFrom.version };
    return { name, version, build, graftFrom: base, description, isPrivate, ...adjustments };
  });
}

/** Formats a step of a deployment as a line. */
function stepLine({ name, version }: DeployRequest, step: Step): string {
  const done =
    step.step === "uploading" && step.total > 0 ? ` ${Math.floor((step.done / step.total) * 100)} %` : "";
  return `${name}/${version}: ${words[step.step]}${done}`;
}

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
