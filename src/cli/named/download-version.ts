import { ApiProblem } from "../../api/problem.js";
import { quotePath } from "../../base/quote.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import { openSession, type RemoteArguments, type Session } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { type Named, namedForms } from "./find-named.js";

/**
 * Downloads the build of a version or a tag on a server.
 * @returns a zip, not checked
 * @throws UsageError if no server is known, or it has no such version; BundleError if the server hands out no builds;
 *   ApiProblem, HttpError
 */
export async function downloadVersion(
  { name, version }: Extract<Named, { kind: "version" }>,
  args: RemoteArguments,
  terminal: Terminal,
): Promise<Uint8Array> {
  const found = `There is no file or folder ${quotePath(`${name}/${version}`)}`;
  const { api, url } = await openSession(args, terminal).catch((error: unknown): never => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${found}, and no server to ask for a version: ${error.message}`);
  });
  const subgraph = await api.getSubgraphVersion(name, version);
  if (!subgraph)
    throw new UsageError(`${found}, and the server at ${url} has no such version.`, `Name ${namedForms}.`);
  return buildOf(api, { name, version }, () => {
    const [deployed] = subgraph.deployments;
    const advice = deployed ? ` Name the deployment by its id: ${deployed.deployment_id}` : "";
    return new BundleError(`The server at ${url} hands out no builds.${advice}`);
  });
}

/** @param unable makes the error for a server that has the version, but not this operation */
async function buildOf(
  api: Session["api"],
  { name, version }: { readonly name: string; readonly version: string },
  unable: () => Error,
): Promise<Uint8Array> {
  try {
    return await api.build(name, version);
  } catch (error) {
    const isUnknown = error instanceof ApiProblem && error.status === 404;
    throw isUnknown && !error.type.endsWith("subgraph-not-found") ? unable() : error;
  }
}
