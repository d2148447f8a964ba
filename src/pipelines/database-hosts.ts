import { SinkError } from "../flows/sinks/sink.js";

/** Parameters with which clients of databases read files or sockets of this machine. */
const ofFiles = ["sslcert", "sslkey", "sslrootcert", "ssl-ca", "socket"];

/**
 * The hosts to which a client may connect for an address, read as clients read it.
 * @param address `postgres://user:password@host:port/database`, or the same of another database
 * @throws SinkError for an address that is not a URL, or that leads to files of this machine
 */
export function databaseHosts(address: string): readonly string[] {
  if (!URL.canParse(address))
    throw new SinkError(
      "The address of the database is not a URL. Write special characters of the password in percent-encoding: %40 for @.",
      false,
    );
  const { searchParams } = new URL(address);
  const file = ofFiles.find((name) => searchParams.has(name));
  if (file !== undefined)
    throw new SinkError(
      `On a server, the address of a database cannot name files of the server. Remove the parameter ${file}.`,
      false,
    );
  const named = namedHosts(address);
  const strange = named.find((host) => !/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(host));
  if (strange !== undefined)
    throw new SinkError(
      "The host in the address of the database is neither a name nor an IP address.",
      false,
    );
  return named;
}

/** The hosts in the address of a database, whatever they are. Without one, clients connect to their own machine. */
export function namedHosts(address: string): readonly string[] {
  const { hostname, searchParams } = new URL(address);
  const named = [hostname, ...searchParams.getAll("host")].filter((host) => host !== "").map(decoded);
  return named.length === 0 ? ["localhost"] : named;
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
