import { createQueryEndpoint } from "../../compare/endpoint.js";
import { readEndpointSchema } from "../../compare/endpoint-schema.js";
import { createNodeWorld } from "../../machine/world.js";
import type { PublicSchema } from "../../subgraph/changes/public-schema.js";
import { versionEndpoint } from "../named/version-endpoint.js";
import { type RemoteArguments, showingRequests } from "../remote/session.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";

/**
 * Reads the schema of a deployed version at its query endpoint.
 * @throws UsageError when no endpoint is usable; ApiProblem, HttpError and EndpointFailure
 */
export async function readDeployedSchema(
  named: { readonly name: string; readonly version: string },
  args: RemoteArguments,
  terminal: Terminal,
): Promise<PublicSchema> {
  const endpoint = createQueryEndpoint({
    name: `${named.name}/${named.version}`,
    keyOption: "--token",
    ...(await versionEndpoint(named, "to read its schema from", args, terminal)),
    pace: async () => undefined,
    world: createNodeWorld(terminal.signal),
    sending: showingRequests(args.verbose, passing(terminal)),
  });
  return (await readEndpointSchema(endpoint)).schema;
}
