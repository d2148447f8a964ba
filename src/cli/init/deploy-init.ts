import { terminalFor } from "../compile/report-diagnostics.js";
import { checkDeployment, type DeploymentArguments } from "../deploy/deploy-arguments.js";
import { deployBuilds } from "../deploy/deploy-builds.js";
import { unnamed } from "../deploy/find-builds.js";
import { openTarget } from "../deploy/open-target.js";
import { buildsOf } from "../named/named-builds.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import type { Terminal } from "../terminal/terminal.js";
import type { InitArguments } from "./init-arguments.js";
import { initProject } from "./init-project.js";

/** Arguments of `subgraph init`, including those of the deployment. */
export interface DeployInitArguments extends InitArguments, DeploymentArguments {
  readonly description?: string | undefined;
}

/** Generates a project, builds it, writes it and deploys it; returns the exit code. */
export async function deployInit(args: DeployInitArguments, terminal: Terminal): Promise<number> {
  checkDeployment(args);
  // This comes before any writing, so that a missing token is reported at once.
  const target = await openTarget(args, terminal);
  const outcome = await initProject({ ...args, build: true }, terminal);
  if (outcome.kind === "ended") return outcome.code;
  const { project } = outcome;
  const { model } = project;
  const subgraph = subgraphVersion(`${model.name}/${model.version}`);
  // A table of results must not mix with a diagnostics document on standard output.
  const told = args.output === "table" ? terminalFor(args, terminal) : terminal;
  return deployBuilds(subgraph, unnamed(buildsOf(project)), { removeGraft: false }, target, args, told);
}
