import { parseAddress } from "../web/http/address.js";

/**
 * The addresses where the indexing status of a query endpoint may be, most likely ones first: that of a graphloom
 * server, and that of a graph-node, which has a port of its own.
 * @param url the endpoint's address
 */
export function statusAddresses(url: string): readonly string[] {
  if (!parseAddress(url)) return [];
  const { origin, protocol, hostname, port, pathname } = new URL(url);
  const [, access, project] = /^\/api\/(public|private)\/([^/]+)\/subgraphs\//.exec(pathname) ?? [];
  const own = `${origin}/index-node/graphql`;
  if (access === "private") return [`${origin}/api/private/${project}/index-node/graphql`];
  if (access === "public") return [own];
  if (!/^\/subgraphs\/(?:name|id)\//.test(pathname)) return [];
  return port === "8000" ? [`${protocol}//${hostname}:8030/graphql`, own] : [own];
}
