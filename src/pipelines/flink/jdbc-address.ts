import type { DatabaseProtocol } from "../sinks/database-address.js";
import { SinkError } from "../state/sink-error.js";

/** How Flink reaches a database. */
export interface JdbcAddress {
  readonly url: string;
  readonly user: string;
  readonly password: string;
}

/**
 * The address of a database as a JDBC URL.
 * @param secret the name of the secret with the address, for messages
 * @throws SinkError if only programs on this machine can reach the address, or if it has options of other clients
 */
export function jdbcAddress(address: string, protocol: DatabaseProtocol, secret: string): JdbcAddress {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isSocket = url?.searchParams.get("host")?.startsWith("/") || url?.searchParams.has("socket");
  if (!url?.hostname || isSocket)
    throw new SinkError(
      `Secret ${secret} has no host name, by which Flink would reach the database. Its value looks like ${protocol}://user:password@host/database.`,
      false,
    );
  // Java's drivers read options in other hosts.
  if (!/^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(url.hostname) || !/^(?:\/[^/;?#()]*)?$/.test(url.pathname))
    throw new SinkError(
      `Secret ${secret} has an address that Flink's driver would read otherwise. Its value looks like ${protocol}://user:password@host/database.`,
      false,
    );
  const kept = protocol === "postgres" ? ["sslmode"] : ["ssl-mode"];
  const other = [...url.searchParams.keys()].find((name) => !kept.includes(name));
  if (other !== undefined)
    throw new SinkError(
      `Secret ${secret} has the parameter ${other}, which Flink's driver does not know. Remove it.`,
      false,
    );
  // Text is converted to the type of its column, such as numeric or jsonb.
  const options = [
    ...(protocol === "postgres" ? [["stringtype", "unspecified"]] : [["rewriteBatchedStatements", "true"]]),
    ...encryption(url, protocol),
  ].map(([name = "", value = ""]) => `${name}=${encodeURIComponent(value)}`);
  return {
    url: `jdbc:${protocol === "postgres" ? "postgresql" : "mysql"}://${url.host}${url.pathname}?${options.join("&")}`,
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}

/** MySQL's modes, as its Java driver calls them. */
const mysqlModes: Readonly<Record<string, string>> = {
  disabled: "DISABLED",
  preferred: "PREFERRED",
  required: "REQUIRED",
  verify_ca: "VERIFY_CA",
  verify_identity: "VERIFY_IDENTITY",
};

/** How the driver encrypts. Certificates are checked against the public authorities. */
function* encryption({ searchParams }: URL, protocol: DatabaseProtocol): Generator<[string, string]> {
  if (protocol === "mysql") {
    const mode = searchParams.get("ssl-mode");
    if (mode !== null) yield ["sslMode", mysqlModes[mode.toLowerCase().replaceAll("-", "_")] ?? mode];
    return;
  }
  const mode = searchParams.get("sslmode");
  if (mode === null) return;
  yield ["sslmode", mode];
  if (mode === "verify-full") yield ["sslfactory", "org.postgresql.ssl.DefaultJavaSSLFactory"];
}
