import type { SecretValue } from "../../api/secret-types.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The databases of a secret of the type jdbc, by scheme, with their usual port. */
const databases: Readonly<Record<string, { readonly protocol: string; readonly port: number }>> = {
  postgres: { protocol: "postgres", port: 5432 },
  postgresql: { protocol: "postgres", port: 5432 },
  mysql: { protocol: "mysql", port: 3306 },
};

/** Parameters of an address that are fields of a secret of the type jdbc. */
const jdbcParameters: ReadonlySet<string> = new Set(["sslmode"]);

/**
 * Reads a connection string as the value of a secret: `postgres://` and `mysql://` as the type jdbc, `http://` and
 * `https://` with a login and a database as the type clickHouse.
 * @returns `undefined` for text of another form; the value is not yet checked
 * @throws UsageError for an address with more or fewer parts than a secret has; the message never quotes its values
 */
export function secretInAddress(text: string): SecretValue | undefined {
  const [, scheme = ""] = /^([a-z]+):\/\//i.exec(text) ?? [];
  const kind = scheme.toLowerCase();
  const database = databases[kind];
  const isHttp = kind === "http" || kind === "https";
  if (!database && !isHttp) return undefined;
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (!address)
    throw new UsageError(
      "The connection string cannot be read. Characters such as @, / and # in its password must be written as %40, %2F and %23.",
    );
  const login = { user: decoded(address.username), password: decoded(address.password) };
  const databaseName = decoded(address.pathname.slice(1));
  if (databaseName === "" || databaseName.includes("/"))
    throw new UsageError(
      `The connection string names no database. It looks like ${kind}://user:password@host:port/database.`,
    );
  if (database) {
    refuseOthers(address, jdbcParameters);
    const { protocol, port } = database;
    const sslmode = address.searchParams.get("sslmode");
    return {
      type: "jdbc",
      protocol,
      host: address.hostname,
      port: Number(address.port || port),
      databaseName,
      ...login,
      ...(sslmode !== null && { sslmode }),
    };
  }
  refuseOthers(address, new Set());
  return {
    type: "clickHouse",
    url: address.origin,
    username: login.user,
    password: login.password,
    databaseName,
  };
}

/** Parameters that drivers know. Any other name may be a part of a password. */
const usualParameters: ReadonlySet<string> = new Set([
  "application_name",
  "channel_binding",
  "connect_timeout",
  "currentSchema",
  "options",
  "pgbouncer",
  "schema",
  "charset",
  "secure",
  "ssl",
  "ssl-mode",
  "ssl_mode",
  "sslcert",
  "sslkey",
  "sslrootcert",
  "useSSL",
]);

/** Refuses parameters that a secret cannot hold, since they would be silently lost. */
function refuseOthers({ searchParams, hash }: URL, known: ReadonlySet<string>): void {
  const others = [...searchParams.keys()].filter((name) => !known.has(name));
  if (others.length === 0 && hash === "") return;
  const [name = ""] = others;
  throw new UsageError(
    `A secret cannot hold ${usualParameters.has(name) ? `the parameter ${name}` : "a parameter"} of the connection string. Remove it, or pass the value as JSON.`,
  );
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new UsageError("The connection string has a % that begins no escaped character. Write it as %25.");
  }
}
