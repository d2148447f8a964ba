import { isRecord, parseJson } from "../../base/text/json-value.js";
import { headerFault } from "./headers.js";

/** A header whose value is secret. */
export interface SecretHeader {
  readonly name: string;
  readonly value: string;
}

/**
 * The header of a secret of the type httpauth.
 * @param secret its JSON, `{"type": "httpauth", "secretKey": "<name>", "secretValue": "<value>"}`, or `<name>: <value>`
 * @returns `undefined` for another value, and for one that no request can carry
 */
export function readHttpAuth(secret: string): SecretHeader | undefined {
  const json = parseJson(secret);
  const [, name, value] = isRecord(json)
    ? [undefined, json.secretKey, json.secretValue]
    : (/^([^\s:]+): *(.*)$/s.exec(secret.trim()) ?? []);
  if (typeof name !== "string" || typeof value !== "string" || value === "") return undefined;
  return headerFault(name, value) === undefined ? { name, value } : undefined;
}

/**
 * Why a secret cannot be used, as a sentence; `undefined` if it can.
 * @param name of the secret
 * @param headers that are also sent
 */
export function httpAuthFault(
  name: string,
  header: SecretHeader | undefined,
  headers: readonly string[],
): string | undefined {
  if (!header)
    return `Secret ${name} is not of the type httpauth. Its value looks like authorization: Bearer …, or {"type": "httpauth", "secretKey": "authorization", "secretValue": "Bearer …"}.`;
  const isTaken = headers.some((other) => other.toLowerCase() === header.name.toLowerCase());
  return isTaken
    ? `Secret ${name} sends the header ${header.name}, which "headers" sets as well. Remove it there.`
    : undefined;
}
