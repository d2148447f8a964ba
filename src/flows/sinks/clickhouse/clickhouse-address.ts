import { isRecord, parseJson } from "../../../base/json-value.js";
import type { ClickHouseAddress } from "../clickhouse-server.js";

/**
 * The address of a ClickHouse server from the value of a secret.
 * @param secret `https://user:password@host:8443/database`, or the JSON of a secret of the type clickHouse
 * @returns `undefined` for another value
 */
export function clickHouseAddress(secret: string): ClickHouseAddress | undefined {
  const value = parseJson(secret);
  if (!isRecord(value)) return addressOf(secret, {});
  const { url, username, password, databaseName } = value;
  return typeof url === "string" ? addressOf(url, { username, password, databaseName }) : undefined;
}

function addressOf(url: string, given: Readonly<Record<string, unknown>>): ClickHouseAddress | undefined {
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const { protocol, host, username, password, pathname } = new URL(url);
  return {
    url: `${protocol}//${host}`,
    username: textOr(given.username, decodeURIComponent(username) || "default"),
    password: textOr(given.password, decodeURIComponent(password)),
    database: textOr(given.databaseName, decodeURIComponent(pathname.slice(1)) || "default"),
  };
}

function textOr(value: unknown, other: string): string {
  return typeof value === "string" ? value : other;
}
