import { type DeployResult, deployAll } from "../../deploy/deploy-all.js";
import type { DeployRequest, SubgraphVersion } from "../../deploy/target.js";
import { type Build, networkOf } from "../../subgraph/build.js";
import { printDiagnostics } from "../compile/report-diagnostics.js";
import { subgraphVersion, tagList } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";
import { awaitIndexing } from "./await-indexing.js";
import type { DeploymentArguments } from "./deploy-arguments.js";
import { type DeploymentFailure, deploymentFailure } from "./deployment-failure.js";
import type { FoundBuilds } from "./find-builds.js";
import type { OpenTarget } from "./open-target.js";
import { reportResults } from "./report-results.js";
import { stepLine } from "./step-line.js";

/** What else a deployment may be told. */
export interface BuildAdjustments {
  readonly startBlock?: number | undefined;
  readonly graftFrom?: SubgraphVersion | undefined;
  readonly removeGraft: boolean;
}

/**
 * Deploys the builds of one subgraph, one for each chain, and says what became of them.
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
  const requests = requestsFor(subgraph, builds, adjustments, args.description);
  // What the target would refuse is found before anything is sent.
  for (const request of requests) await target.check(request);
  const line = new StatusLine(terminal, () => performance.now());
  const existing = args.skipDeployed ? "keep" : replaces ? "replace" : "refuse";
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
  const code = reportResults(results, target, args, terminal);
  if (code !== exitCodes.clean || args.wait === "none") return code;
  const showPlace = (label: string, failure: DeploymentFailure): void => {
    const diagnostic = deploymentFailure(label, failure, origins);
    // Standard output has its one document already.
    if (diagnostic) printDiagnostics([diagnostic], { format: "text", color: args.color }, terminal);
  };
  return awaitIndexing(results, target, { goal: args.wait, onFailed: showPlace }, terminal);
}

/** Several chains are several subgraphs, each named after its chain. */
function requestsFor(
  subgraph: SubgraphVersion,
  builds: readonly Build[],
  { graftFrom, ...adjustments }: BuildAdjustments,
  description: string | undefined,
): readonly DeployRequest[] {
  return builds.map((build) => {
    const suffix = builds.length > 1 ? `-${networkOf(build)}` : "";
    const { name, version } = subgraphVersion(`${subgraph.name}${suffix}/${subgraph.version}`);
    const base = graftFrom && { name: `${graftFrom.name}${suffix}`, version: graftFrom.version };
    return { name, version, build, graftFrom: base, description, ...adjustments };
  });
}
