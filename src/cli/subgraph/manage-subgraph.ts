import type { Subgraph, SubgraphPatch, SubgraphStatus } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import { retriesOf } from "../../api/retried-deployment.js";
import { isUnexpected } from "../../base/text/message-of.js";
import { visible } from "../../base/text/visible.js";
import type { SubgraphVersion } from "../../deploy/target.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { confirm, declined } from "./confirm.js";
import { checkDescription } from "./description.js";
import { made, makeChange } from "./make-change.js";
import { findOnServer, labelOf, listed, sharingNote } from "./shared-deployment.js";
import { subgraphVersion } from "./subgraph-version.js";

/** Arguments of a command about one deployed subgraph. */
export interface SubgraphArguments extends RemoteArguments {
  readonly nameAndVersion: string;
}

/** Deletes a version with all its data; returns the exit code. */
export async function deleteSubgraph(
  args: SubgraphArguments & { readonly force: boolean },
  terminal: Terminal,
): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const { api } = await openSession(args, terminal);
  if (args.force || terminal.ask) await warnOfDeletion(api, { name, version }, terminal);
  if (!(await confirm(`Delete ${name}/${version} with all its data?`, args.force, terminal)))
    return declined(terminal);
  await makeChange({
    claim: `${name}/${version} was deleted`,
    make: () => api.deleteDeployment(name, version),
    look: async () => ((await api.getSubgraphVersion(name, version)) ? undefined : made),
    advice: `Check whether it still exists: graphloom subgraph list ${name}/${version}`,
  });
  terminal.out(`Deleted ${name}/${version}.\n`);
  return exitCodes.clean;
}

/** Prints what the deletion of a version does to others, as far as the server tells. */
async function warnOfDeletion(
  api: ManagementApi,
  { name, version }: SubgraphVersion,
  terminal: Terminal,
): Promise<void> {
  for (const warning of await warningsOf(api, { name, version }, terminal))
    terminal.err(`warning: ${visible(String(warning))}\n`);
}

/** The deletion itself reports a server that is in trouble. */
async function warningsOf(
  api: ManagementApi,
  { name, version }: SubgraphVersion,
  { signal }: Terminal,
): Promise<readonly unknown[]> {
  try {
    const { deletion_warnings: warnings } = { ...(await api.getSubgraphVersion(name, version)) };
    // The contract lacks this field, so it is unchecked.
    return Array.isArray(warnings) ? warnings : [];
  } catch (error) {
    if (signal?.aborted || isUnexpected(error)) throw error;
    return ["the version cannot be read, so effects on other subgraphs are not known"];
  }
}

/** Pauses indexing; indexed data can still be queried. Returns the exit code. */
export async function pauseSubgraph(args: SubgraphArguments, terminal: Terminal): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const { api } = await openSession(args, terminal);
  await makeChange({
    claim: `${name}/${version} was paused`,
    make: () => api.pause(name, version),
    look: async () => (await hasStatus(api, { name, version }, "PAUSED")) && made,
    advice: `Check its status: graphloom subgraph list ${name}/${version}`,
  });
  terminal.out(`Paused ${name}/${version}. To resume: graphloom subgraph start ${name}/${version}\n`);
  const { sharing } = await findOnServer(api, { name, version });
  if (sharing.length > 0) {
    const active = sharing.filter(({ status }) => status === "ACTIVE").map(labelOf);
    const verb = active.length === 1 ? "is" : "are";
    const rest = active.length > 0 ? `, which keeps indexing until ${listed(active)} ${verb} paused too` : "";
    terminal.out(`${sharingNote({ name, version }, sharing)}${rest}.\n`);
  }
  return exitCodes.clean;
}

/** Resumes indexing after a pause; returns the exit code: 1 when the version has failed, and so does not index. */
export async function startSubgraph(args: SubgraphArguments, terminal: Terminal): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const { api } = await openSession(args, terminal);
  await makeChange({
    claim: `${name}/${version} was started`,
    make: () => api.resume(name, version),
    look: async () => (await hasStatus(api, { name, version }, "ACTIVE")) && made,
    advice: `Check its status: graphloom subgraph list ${name}/${version}`,
  });
  const { own, sharing } = await findOnServer(api, { name, version });
  const [deployment] = own?.deployments ?? [];
  const isRetried = retriesOf(deployment) !== undefined;
  if (own?.health === "FAILED" && !isRetried) {
    terminal.err(hasFailed(own));
    return exitCodes.diagnostics;
  }
  // The error itself mentions the retries.
  const why =
    isRetried && deployment?.fatal_error ? ` A block fails: ${visible(deployment.fatal_error)}` : "";
  terminal.out(`Started ${name}/${version}.${why}\n`);
  if (sharing.length > 0) terminal.out(`${sharingNote({ name, version }, sharing)}.\n`);
  return exitCodes.clean;
}

/** What to do about a version if starting it does not help. */
function hasFailed({ name, version, deployments }: Subgraph): string {
  const why = deployments[0]?.fatal_error;
  return (
    `${name}/${version} has failed and is not indexing${why ? `: ${visible(why)}` : ""}\n` +
    `Fix the cause and deploy a new version: graphloom subgraph deploy ${name}/<version>\n` +
    `To retry the same content: graphloom subgraph pause ${name}/${version}, then start.\n`
  );
}

export interface UpdateArguments extends SubgraphArguments {
  readonly publicEndpoint?: "enabled" | "disabled" | undefined;
  readonly privateEndpoint?: "enabled" | "disabled" | undefined;
  readonly description?: string | undefined;
}

/** Updates the mutable properties of a version or a tag; returns the exit code. */
export async function updateSubgraph(args: UpdateArguments, terminal: Terminal): Promise<number> {
  const { name, version } = subgraphVersion(args.nameAndVersion);
  const { publicEndpoint, privateEndpoint, description } = args;
  if (publicEndpoint === undefined && privateEndpoint === undefined && description === undefined)
    throw new UsageError("Specify what to change: --public-endpoint, --private-endpoint or --description.");
  checkDescription(description);
  const { api } = await openSession(args, terminal);
  const patch: SubgraphPatch = {
    ...(publicEndpoint !== undefined && { public_endpoint_enabled: publicEndpoint === "enabled" }),
    ...(privateEndpoint !== undefined && { private_endpoint_enabled: privateEndpoint === "enabled" }),
    ...(description !== undefined && { description }),
  };
  const changed = await makeChange({
    claim: `${name}/${version} was updated`,
    make: () => api.updateSubgraph(name, version, patch),
    look: async () => {
      const answer = await api.requireSubgraphVersion(name, version);
      return holds(answer, patch) ? { answer } : undefined;
    },
    advice: `Check its current settings: graphloom subgraph list ${name}/${version}`,
  });
  terminal.out(
    `Updated ${name}/${version}.\n` +
      `  public   ${changed.public_endpoint_enabled ? visible(changed.graphql_endpoint) : "disabled"}\n` +
      `  private  ${changed.private_endpoint_enabled ? visible(changed.private_graphql_endpoint) : "disabled"}\n`,
  );
  return exitCodes.clean;
}

/** @returns a substitute for the answer when the version has the status */
async function hasStatus(
  api: ManagementApi,
  { name, version }: SubgraphVersion,
  status: SubgraphStatus,
): Promise<true | undefined> {
  return (await api.requireSubgraphVersion(name, version)).status === status || undefined;
}

function holds(subgraph: Subgraph, patch: SubgraphPatch): boolean {
  const wanted = Object.entries(patch);
  const fields: Readonly<Record<string, unknown>> = { ...subgraph };
  return wanted.every(([name, value]) => fields[name] === value);
}
