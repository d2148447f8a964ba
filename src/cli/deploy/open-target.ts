import { createGraphNodeTarget } from "../../deploy/graph-node/graph-node-target.js";
import { createApiTarget } from "../../deploy/management/api-target.js";
import type { DeployTarget } from "../../deploy/target.js";
import { createNodeWorld } from "../../machine/world.js";
import { isWebAddress } from "../../web/http/address.js";
import { openSession, showingRequests } from "../remote/session.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { TargetArguments } from "./deploy-arguments.js";

/** A target, and how it treats an existing version. */
export interface OpenTarget {
  readonly target: DeployTarget;
  /** Whether different content may replace an existing version. */
  readonly replaces: boolean;
}

/**
 * Opens the target of the arguments: a graph-node, or the management API.
 * @throws UsageError when no API is known, or an address is not a URL
 */
export async function openTarget(args: TargetArguments, terminal: Terminal): Promise<OpenTarget> {
  const { graphNode, ipfs, graphNodeStatus } = args;
  if (graphNode === undefined || ipfs === undefined) {
    const { api, url } = await openSession(args, terminal);
    return { target: createApiTarget(api, `the API at ${url}`), replaces: false };
  }
  checkAddress("--graph-node", graphNode);
  checkAddress("--ipfs", ipfs);
  if (graphNodeStatus !== undefined) checkAddress("--graph-node-status", graphNodeStatus);
  const target = createGraphNodeTarget(
    { adminUrl: graphNode, ipfsUrl: ipfs, statusUrl: graphNodeStatus },
    createNodeWorld(terminal.signal),
    showingRequests(args.verbose, passing(terminal)),
  );
  return { target, replaces: true };
}

function checkAddress(option: string, text: string): void {
  if (isWebAddress(text)) return;
  throw new UsageError(`${option} must be an address that starts with http:// or https://`);
}
