import { ApiProblem } from "../../api/answers/problem.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { RemoteArguments, Session } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { type Named, namedForms } from "./find-named.js";
import { noFile, openForVersion } from "./version-endpoint.js";

/** A server that has a version, but hands out no builds. */
export class NoBuildsError extends BundleError {}

/**
 * Downloads the build of a version or a tag on a server.
 * @returns a zip, not checked
 * @throws UsageError if no server is known, or it has no such version; NoBuildsError if the server hands out no builds;
 *   ApiProblem, HttpError
 */
export async function downloadVersion(
  { name, version }: Extract<Named, { kind: "version" }>,
  args: RemoteArguments,
  terminal: Terminal,
): Promise<Uint8Array> {
  const { api, url } = await openForVersion({ name, version }, args, terminal);
  const subgraph = await api.getSubgraphVersion(name, version);
  if (!subgraph)
    throw new UsageError(
      `${noFile({ name, version })}, and the server at ${url} has no such version.`,
      `Name ${namedForms}.`,
    );
  return buildOf(api, { name, version }, () => {
    const [deployed] = subgraph.deployments;
    const advice = deployed ? ` Name the deployment by its id: ${deployed.deployment_id}` : "";
    return new NoBuildsError(`The server at ${url} hands out no builds.${advice}`);
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
