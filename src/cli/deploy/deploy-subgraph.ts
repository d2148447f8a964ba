import { terminalFor } from "../compile/report-diagnostics.js";
import { subgraphVersion } from "../subgraph/subgraph-version.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { checkDeployArguments, type DeployArguments } from "./deploy-arguments.js";
import { deployBuilds } from "./deploy-builds.js";
import { findBuilds } from "./find-builds.js";
import { openTarget } from "./open-target.js";

/** Finds or compiles the builds and deploys them; returns the exit code. */
export async function deploySubgraph(args: DeployArguments, terminal: Terminal): Promise<number> {
  const subgraph = subgraphVersion(args.nameAndVersion);
  checkDeployArguments(args);
  // Open the target before building anything, so that a missing token is reported at once.
  const target = await openTarget(args, terminal);
  const found = await findBuilds(subgraph, args, terminal);
  if (!found) return exitCodes.diagnostics;
  const { startBlock, removeGraft } = args;
  const graftFrom = args.graftFrom === undefined ? undefined : subgraphVersion(args.graftFrom);
  // With a table of results, only the document of the diagnostics goes to standard output.
  const compiles = args.fromAbi !== undefined || args.subgraph !== undefined;
  const told = args.output === "table" && compiles ? terminalFor(args, terminal) : terminal;
  return deployBuilds(subgraph, found, { startBlock, graftFrom, removeGraft }, target, args, told);
}
