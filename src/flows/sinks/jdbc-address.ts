import { isRecord, parseJson } from "../../base/json-value.js";

/** The protocols of databases whose addresses secrets of the type jdbc hold. */
const protocols: ReadonlySet<string> = new Set(["postgres", "postgresql", "mysql"]);

/**
 * The address of a database from the value of a secret.
 * @param secret a connection string, or the JSON of a secret of the type jdbc
 * @returns `undefined` for another value
 */
export function jdbcAddress(secret: string): string | undefined {
  if (/^(?:postgres|postgresql|mysql):\/\//i.test(secret)) return secret;
  const value = parseJson(secret);
  if (!isRecord(value) || typeof value.protocol !== "string" || !protocols.has(value.protocol))
    return undefined;
  const { protocol, host, port, databaseName, user, password } = value;
  if (typeof host !== "string" || typeof databaseName !== "string") return undefined;
  const login = [user, password].map((part) => encodeURIComponent(String(part ?? ""))).join(":");
  return `${protocol}://${login}@${host}:${String(port ?? 5432)}/${encodeURIComponent(databaseName)}`;
}
