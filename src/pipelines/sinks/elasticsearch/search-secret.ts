import type { ServerTls } from "../../../base/server-tls.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { parseAddress } from "../../../web/http/address.js";
import { SinkError } from "../../state/sink-error.js";
import { readServerTls } from "../read-server-tls.js";

/** A search server, and who we are there. */
export interface SearchServer {
  /** Without a path that ends in a slash, without user and password. */
  readonly url: string;
  /** The value of the header authorization. */
  readonly authorization: string | undefined;
  /** Texts that messages must not repeat. */
  readonly secrets: readonly string[];
  /** How its certificate is checked. */
  readonly tls: ServerTls;
}

/**
 * The server that a secret names.
 * @param secret a URL with user and password, or the JSON of a secret of the type elasticSearch
 * @returns `undefined` for another value
 */
export function readSearchServer(secret: string): SearchServer | undefined {
  const json = parseJson(secret);
  if (!isRecord(json)) return ofAddress(secret.trim());
  const { host, username, password } = json;
  if (typeof host !== "string" || !parseAddress(host)) return undefined;
  const url = new URL(host);
  url.username = encodeURIComponent(String(username ?? ""));
  url.password = encodeURIComponent(String(password ?? ""));
  return ofAddress(url.href, json);
}

function ofAddress(text: string, fields: Readonly<Record<string, unknown>> = {}): SearchServer | undefined {
  const address = parseAddress(text);
  return (
    address && {
      url: address.href.replace(/\/+$/, ""),
      authorization: address.authorization,
      secrets: address.credentials,
      tls: readServerTls(fields, (what) => {
        throw new SinkError(`The secret of the search server is not valid: ${what}.`, false);
      }),
    }
  );
}
