import { isRecord, parseJson } from "../../base/json-value.js";
import { type SinkWorld, secretOf } from "./opening.js";
import { SinkError } from "./sink.js";

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
  return `${protocol}://${login}@${host}:${String(port ?? usual)}/${encodeURIComponent(databaseName)}`;
}
