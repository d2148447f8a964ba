import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import { isWebAddress } from "../../web/http/address.js";
import type { DefinedPipeline } from "../definition/definition.js";
import type { Named } from "../definition/settings.js";
import { headerFault } from "../http/headers.js";
import { readHttpAuth } from "../http/http-auth.js";

/** Settings of a node that sends requests. */
interface HttpSettings {
  readonly url?: LocatedString;
  readonly headers?: readonly Named<string>[];
  readonly secret_name?: LocatedString;
}

/** Reports an address that requests cannot be sent to, and headers that they cannot have. */
export function checkHttp({ url, headers = [] }: HttpSettings, report: Report): void {
  if (url && !isWebAddress(url.value))
    report.error("wrong-value", url.at, `${quote(url.value)} is not an address`, {
      hint: "write an address that begins with https:// or http://",
    });
  for (const { name, value } of headers) {
    const fault = headerFault(name.value, value.value);
    if (fault !== undefined)
      report.error("wrong-value", name.at, `header ${quote(name.value)} ${fault}`, {
        hint: "remove it, or correct it",
      });
  }
}

/**
 * Reports headers that are in both a node's settings and its secret.
 * @param secret the value of the secret; `undefined` if unknown
 */
export function checkSecretHeaders(
  { sinks, transforms }: DefinedPipeline,
  secret: (name: string) => string | undefined,
  report: Report,
): void {
  for (const { settings } of sinks) checkSecretHeader(settings, secret, report);
  for (const { type, settings } of transforms)
    if (type === "handler") checkSecretHeader(settings, secret, report);
}

function checkSecretHeader(
  { headers = [], secret_name }: HttpSettings,
  secret: (name: string) => string | undefined,
  report: Report,
): void {
  const value = secret_name && secret(secret_name.value);
  const sent = value === undefined ? undefined : readHttpAuth(value)?.name.toLowerCase();
  for (const { name } of headers)
    if (name.value.toLowerCase() === sent)
      report.error(
        "duplicate-header",
        name.at,
        `secret ${quote(secret_name?.value ?? "")} sends header ${quote(name.value)} as well`,
        { hint: "remove it here, so that its value is only in the secret" },
      );
}
