import { terminalFor } from "../compile/report-diagnostics.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { checkDeployArguments, type DeployArguments } from "./deploy-arguments.js";
import { deployBuilds } from "./deploy-builds.js";
import { findBuilds } from "./find-builds.js";
import { openTarget } from "./open-target.js";

/** Finds or makes what is to be deployed, and deploys it; the exit code. */
export async function deploySubgraph(args: DeployArguments, terminal: Terminal): Promise<number> {
  const subgraph = subgraphVersion(args.nameAndVersion);
  checkDeployArguments(args);
  // A missing token is told before anything is built.
  const target = await openTarget(args, terminal);
  const found = await findBuilds(subgraph, args, terminal);
  if (!found) return exitCodes.diagnostics;
  const { startBlock, removeGraft } = args;
  const graftFrom = args.graftFrom === undefined ? undefined : subgraphVersion(args.graftFrom);
  // As a table, the results stand beside the document of the diagnostics.
  const told = args.output === "table" && args.fromAbi !== undefined ? terminalFor(args, terminal) : terminal;
  return deployBuilds(subgraph, found, { startBlock, graftFrom, removeGraft }, target, args, told);
}
