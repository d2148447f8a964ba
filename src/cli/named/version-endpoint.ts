import type { Subgraph } from "../../api/contract.js";
import { quotePath } from "../../base/text/quote.js";
import { openSession, type RemoteArguments, type Session } from "../remote/session.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The address at which a version is queried, with the headers that its server requires. */
export interface VersionEndpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The first finding for a word that can only name a version on a server. */
export const noFile = ({ name, version }: { readonly name: string; readonly version: string }): string =>
  `There is no file or folder ${quotePath(`${name}/${version}`)}`;

/**
 * Opens a session with the server of a version.
 * @throws UsageError when no server is known
 */
export async function openForVersion(
  named: { readonly name: string; readonly version: string },
  args: RemoteArguments,
  terminal: Terminal,
): Promise<Session> {
  try {
    return await openSession(args, terminal);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${noFile(named)}, and no server to ask for a version: ${error.message}`);
  }
}

/**
 * The query endpoint of a version on a server: its private endpoint with the token if that endpoint is on the server
 * of the token, and otherwise its public endpoint.
 * @param purpose the purpose of the endpoint: `to read its schema from`
 * @throws UsageError when no server is known, or no endpoint is usable; ApiProblem, HttpError
 */
export async function versionEndpoint(
  { name, version }: { readonly name: string; readonly version: string },
  purpose: string,
  args: RemoteArguments,
  terminal: Terminal,
): Promise<VersionEndpoint> {
  const session = await openForVersion({ name, version }, args, terminal);
  const subgraph = await session.api.requireSubgraphVersion(name, version);
  const address = addressOf(subgraph, session);
  if (address) return address;
  const help = `To enable one, run: graphloom subgraph update ${name}/${version} --public-endpoint enabled`;
  throw new UsageError(`${name}/${version} has no enabled endpoint ${purpose}. ${help}`);
}

/** Chooses the endpoint. A token is sent only to the server that issued it. */
function addressOf(subgraph: Subgraph, { url, token }: Session): VersionEndpoint | undefined {
  const { private_graphql_endpoint: own, graphql_endpoint: open } = subgraph;
  const isOwn = URL.canParse(own) && new URL(own).origin === new URL(url).origin;
  if (subgraph.private_endpoint_enabled && isOwn)
    return { url: own, headers: { authorization: `Bearer ${token}` } };
  return subgraph.public_endpoint_enabled ? { url: open, headers: {} } : undefined;
}
