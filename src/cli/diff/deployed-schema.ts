import type { Subgraph } from "../../api/contract.js";
import { createQueryEndpoint } from "../../compare/endpoint.js";
import { readEndpointSchema } from "../../compare/endpoint-schema.js";
import { createNodeWorld } from "../../node/world.js";
import type { PublicSchema } from "../../subgraph/changes/public-schema.js";
import { openSession, type RemoteArguments, type Session, showingRequests } from "../remote/session.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/**
 * Reads the schema of a deployed version. Uses its private endpoint with the token if that endpoint is on the server
 * of the token, and otherwise its public endpoint.
 * @throws UsageError when no endpoint is usable; ApiProblem, HttpError and EndpointFailure
 */
export async function readDeployedSchema(
  { name, version }: { readonly name: string; readonly version: string },
  args: RemoteArguments,
  terminal: Terminal,
): Promise<PublicSchema> {
  const session = await openSession(args, terminal);
  const subgraph = await session.api.requireSubgraphVersion(name, version);
  const address = addressOf(subgraph, session);
  if (!address) {
    const help = `To enable one, run: graphloom subgraph update ${name}/${version} --public-endpoint enabled`;
    throw new UsageError(`${name}/${version} has no enabled endpoint to read its schema from. ${help}`);
  }
  const endpoint = createQueryEndpoint({
    name: `${name}/${version}`,
    keyOption: "--token",
    ...address,
    pace: async () => undefined,
    world: createNodeWorld(terminal.signal),
    sending: showingRequests(args.verbose, passing(terminal)),
  });
  return (await readEndpointSchema(endpoint)).schema;
}

/** Chooses the endpoint. A token is sent only to the server that issued it. */
function addressOf(
  subgraph: Subgraph,
  { url, token }: Session,
): { readonly url: string; readonly headers: Readonly<Record<string, string>> } | undefined {
  const { private_graphql_endpoint: own, graphql_endpoint: open } = subgraph;
  const isOwn = URL.canParse(own) && new URL(own).origin === new URL(url).origin;
  if (subgraph.private_endpoint_enabled && isOwn)
    return { url: own, headers: { authorization: `Bearer ${token}` } };
  return subgraph.public_endpoint_enabled ? { url: open, headers: {} } : undefined;
}
