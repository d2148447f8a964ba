import { isRecord, parseJson } from "../../base/text/json-value.js";
import { SinkError } from "../state/sink-error.js";
import { type SinkWorld, secretOf } from "./opening.js";

/** A kind of database whose addresses secrets hold. */
export type DatabaseProtocol = "postgres" | "mysql";

const protocols: Readonly<
  Record<DatabaseProtocol, { readonly names: readonly string[]; readonly port: number }>
> = {
  postgres: { names: ["postgres", "postgresql"], port: 5432 },
  mysql: { names: ["mysql", "mariadb"], port: 3306 },
};

/**
 * The address of the database that a secret holds.
 * @param name of the secret
 * @throws SinkError if there is no such secret, or if it holds something else
 */
export function databaseAddress(
  name: string,
  protocol: DatabaseProtocol,
  world: Pick<SinkWorld, "secret">,
): string {
  const address = addressIn(secretOf(name, world), protocol);
  if (address !== undefined) return address;
  const { port } = protocols[protocol];
  throw new SinkError(
    `Secret ${name} is not the address of a database. Its value looks like ${protocol}://user:password@host:${port}/database.`,
    false,
  );
}

/** @param secret a connection string, or the JSON of a secret of the type jdbc */
function addressIn(secret: string, protocol: DatabaseProtocol): string | undefined {
  const { names, port: usual } = protocols[protocol];
  const [, scheme = ""] = /^([a-z]+):\/\//i.exec(secret) ?? [];
  if (names.includes(scheme.toLowerCase()))
    return URL.canParse(secret) || protocol === "postgres" ? secret : undefined;
  const value = parseJson(secret);
  if (!isRecord(value) || typeof value.protocol !== "string" || !names.includes(value.protocol))
    return undefined;
  const { host, port, databaseName, user, password } = value;
  if (typeof host !== "string" || typeof databaseName !== "string") return undefined;
  const login = [user, password].map((part) => encodeURIComponent(String(part ?? ""))).join(":");
  const tls = new URLSearchParams([...tlsParameters(value, protocol)]).toString();
  const place = `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${String(port ?? usual)}`;
  return `${protocol}://${login}@${place}/${encodeURIComponent(databaseName)}${tls === "" ? "" : `?${tls}`}`;
}

/** The modes of PostgreSQL, in the words of MySQL. `require` checks who has signed the certificate if it knows an authority. */
const mysqlModes: Readonly<Record<string, string>> = {
  disable: "disabled",
  allow: "preferred",
  prefer: "preferred",
  require: "required",
  "verify-ca": "verify_ca",
  "verify-full": "verify_identity",
};

/**
 * What a secret says about encryption, as parameters of an address.
 * @throws SinkError if `ssl` and `sslmode` contradict each other
 */
function* tlsParameters(
  { ssl, sslmode, sslrootcert: root }: Readonly<Record<string, unknown>>,
  protocol: DatabaseProtocol,
): Generator<[string, string]> {
  const given = typeof sslmode === "string" ? sslmode : undefined;
  if (given !== undefined && typeof ssl === "boolean" && ssl === (given === "disable"))
    throw new SinkError(
      `A secret of the type jdbc has ssl: ${ssl} and sslmode: ${given}, which contradict each other. Remove ssl.`,
      false,
    );
  const named = typeof ssl === "boolean" ? (ssl ? "verify-full" : "disable") : undefined;
  const mode = given ?? named ?? (root === undefined ? undefined : "verify-full");
  if (mode === undefined) return;
  if (protocol === "postgres") {
    yield ["sslmode", mode];
    if (typeof root === "string") yield ["sslrootcert", root];
    return;
  }
  const isSystem = root === "system";
  const checked = mode === "require" && typeof root === "string" && !isSystem ? "verify-ca" : mode;
  yield ["ssl-mode", mysqlModes[checked] ?? mode];
  if (typeof root === "string" && !isSystem) yield ["ssl-ca", root];
}
