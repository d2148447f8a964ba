import { isRecord } from "../base/text/json-value.js";
import { parseAddress } from "../web/http/address.js";
import type { QueryEndpoint } from "./endpoint.js";
import { EndpointFailure } from "./endpoint-failure.js";

/** How to ask an address that may not be there. */
interface Probing {
  readonly attempts: number;
  /** In milliseconds. */
  readonly timeout: number;
}

const probing: Probing = { attempts: 1, timeout: 5_000 };

/**
 * Finds the indexing status beside a query endpoint.
 * @param url the query endpoint's address
 * @param open connects to an address
 * @returns undefined if there is none at the addresses where it may be
 */
export async function findStatus(
  url: string,
  open: (url: string, probing?: Probing) => QueryEndpoint,
): Promise<QueryEndpoint | undefined> {
  for (const candidate of statusAddresses(url))
    if (await isStatus(open(candidate, probing))) return open(candidate);
  return undefined;
}

/** Whether an address answers as the status API of a graph-node does. @throws HttpError if the user interrupts */
export async function isStatus(endpoint: QueryEndpoint): Promise<boolean> {
  try {
    return isRecord((await endpoint.ask("{ version { version } }")).version);
  } catch (error) {
    if (error instanceof EndpointFailure) return false;
    throw error;
  }
}

/**
 * The addresses where the indexing status of a query endpoint may be, most likely ones first: that of a graphloom
 * server, and that of a graph-node, which has a port of its own.
 * @param url the endpoint's address
 */
export function statusAddresses(url: string): readonly string[] {
  if (!parseAddress(url)) return [];
  const { origin, protocol, hostname, port, pathname } = new URL(url);
  const [, prefix = "", access, project] =
    /^(.*?)\/api\/(public|private)\/([^/]+)\/subgraphs\//.exec(pathname) ?? [];
  // A proxy may add a path before those of a server.
  const own = `${origin}${prefix}/index-node/graphql`;
  if (access === "private") return [`${origin}${prefix}/api/private/${project}/index-node/graphql`];
  if (access === "public") return [own];
  if (!/^\/subgraphs\/(?:name|id)\//.test(pathname)) return [];
  return port === "8000" ? [`${protocol}//${hostname}:8030/graphql`, own] : [own];
}
