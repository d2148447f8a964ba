import { isCertificateText } from "../../base/server-tls.js";
import { portOf } from "../../web/outgoing/port-of.js";
import { SinkError } from "../state/sink-error.js";

/** Where a client connects to: a name or an IP address without brackets, and a port. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Parameters with which clients of databases read files or sockets of this machine. */
const ofFiles = ["sslcert", "sslkey", "sslrootcert", "ssl-ca", "socket"];
/** Settings that may hold the content of the file instead. */
const ofAuthorities = ["sslrootcert", "ssl-ca"];

const mysqlPort = 3306;

/**
 * Where a client connects to for an address, read as that client reads it.
 * @param address `postgres://user:password@host:port/database`, or the same of MySQL or ClickHouse
 * @throws SinkError for an address that is not a URL, or that leads to files of this machine
 */
export async function databasePlace(address: string): Promise<Place> {
  if (!URL.canParse(address))
    throw new SinkError(
      "The address of the database is not a URL. Write special characters of the password in percent-encoding: %40 for @.",
      false,
    );
  const url = new URL(address);
  const file = ofFiles.find((name) => {
    const value = url.searchParams.get(name);
    return value !== null && value !== "system" && !isCertificateText(value);
  });
  if (file !== undefined)
    throw new SinkError(
      `On a server, the address of a database cannot name files of the server. ${ofAuthorities.includes(file) ? `Put the certificates themselves into ${file}` : `Remove the parameter ${file}`}.`,
      false,
    );
  const place = /^postgres(?:ql)?:$/.test(url.protocol) ? await postgresPlace(address) : placeIn(url);
  if (!/^(?:[\w.-]+|[\da-f:.]+)$/i.test(place.host))
    throw new SinkError(
      "The host in the address of the database is neither a name nor an IP address.",
      false,
    );
  return place;
}

async function postgresPlace(address: string): Promise<Place> {
  const { serverPlace } = await import("../../store/database/postgres/server-place.js");
  try {
    return serverPlace(address);
  } catch (error) {
    throw new SinkError("The address of the database cannot be read. Check its parameters.", false, {
      cause: error,
    });
  }
}

function placeIn(url: URL): Place {
  const isWeb = /^https?:$/.test(url.protocol);
  return {
    host: decoded(url.hostname).replace(/^\[(.*)\]$/, "$1"),
    port: isWeb ? portOf(url) : Number(url.port || mysqlPort),
  };
}

function decoded(host: string): string {
  try {
    return decodeURIComponent(host);
  } catch {
    return host;
  }
}
