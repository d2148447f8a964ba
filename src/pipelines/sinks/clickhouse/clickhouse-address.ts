import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { SinkError } from "../../state/sink-error.js";
import type { ClickHouseAddress } from "../clickhouse-server.js";
import { readServerTls } from "../read-server-tls.js";

/**
 * The address of a ClickHouse server from the value of a secret.
 * @param secret `https://user:password@host:8443/database`, or the JSON of a secret of the type clickHouse
 * @returns `undefined` for another value
 * @throws SinkError if its settings of certificates are not valid
 */
export function clickHouseAddress(secret: string): ClickHouseAddress | undefined {
  const value = parseJson(secret);
  if (!isRecord(value)) return addressOf(secret, {});
  return typeof value.url === "string" ? addressOf(value.url, value) : undefined;
}

function addressOf(url: string, given: Readonly<Record<string, unknown>>): ClickHouseAddress | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { protocol, host, username, password, pathname, searchParams } = new URL(url);
  const { sslmode = searchParams.get("sslmode") ?? undefined, sslrootcert } = given;
  return {
    url: `${protocol}//${host}`,
    username: textOr(given.username, decodeURIComponent(username) || "default"),
    password: textOr(given.password, decodeURIComponent(password)),
    database: textOr(given.databaseName, decodeURIComponent(pathname.slice(1)) || "default"),
    ...(protocol === "https:" && { tls: readServerTls({ sslmode, sslrootcert }, fail) }),
  };
}

function fail(what: string): never {
  throw new SinkError(`The secret of the ClickHouse server is not valid: ${what}.`, false);
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}
