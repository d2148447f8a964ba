import type { NewWebhook } from "../../api/contract.js";
import { isWebAddress } from "../../web/http/address.js";
import { type FieldError, Problem } from "../problem.js";
import type { RetryRule, WebhookChange } from "./webhooks.js";

/** A request for a new webhook. */
export interface AskedWebhook extends RetryRule {
  readonly name: string;
  readonly subgraph: string;
  readonly version: string;
  readonly entity: string;
  readonly url: string;
  /** The server generates one when it is missing. */
  readonly secret?: string;
  /** Extension: whether the existing entities are sent first. */
  readonly fromStart: boolean;
}

const longest = { name: 42, url: 2_000, secret: 200 } as const;

const usualRetries = 10;
/** In seconds: the default, and the largest value, for which the contract sets no limit. */
const times = {
  retry_interval_seconds: { most: 86_400, usual: 30 },
  retry_timeout_seconds: { most: 300, usual: 30 },
} as const;

const known: ReadonlySet<string> = new Set<keyof NewWebhook>([
  ...([
    "name",
    "subgraph_name",
    "subgraph_version",
    "entity",
    "webhook_url",
    "secret",
    "from_start",
  ] as const),
  ...(["num_retries", "retry_interval_seconds", "retry_timeout_seconds"] as const),
]);

/**
 * Reads the body of a request for a new webhook, or the fields of the form. Checks what the schema cannot express, and
 * what a form may get wrong.
 * @throws Problem that names all invalid fields
 */
export function readNewWebhook(body: NewWebhook): AskedWebhook {
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string): void => void errors.push({ field, message });
  const { name, webhook_url: url, secret } = body;
  const time = (field: keyof typeof times): number => timeIn(body, field, errors) ?? times[field].usual;
  for (const field of Object.keys(body)) if (!known.has(field)) wrong(field, "is not a known field");
  if (name.trim() === "") wrong("name", "must not be blank");
  else if (/\p{Cc}/u.test(name)) wrong("name", "must not contain control characters");
  else if (name === "." || name === "..") wrong("name", "must not be . or ..");
  else if ([...name].length > longest.name) wrong("name", `must have at most ${longest.name} characters`);
  for (const message of urlFaults(url)) wrong("webhook_url", message);
  for (const message of secretFaults(secret)) wrong("secret", message);
  const asked = {
    name,
    subgraph: body.subgraph_name,
    version: body.subgraph_version,
    entity: body.entity,
    url,
    ...(secret !== undefined && { secret }),
    retries: body.num_retries ?? usualRetries,
    retryInterval: time("retry_interval_seconds"),
    timeout: time("retry_timeout_seconds"),
    fromStart: body.from_start === true,
  };
  refuseFaults(errors);
  return asked;
}

/** The body of a request that changes a webhook. */
export interface WebhookPatch
  extends Pick<NewWebhook, "num_retries" | "retry_interval_seconds" | "retry_timeout_seconds"> {
  readonly webhook_url?: string;
  readonly secret?: string;
}

/** The changeable settings of a webhook; absent ones stay. */
export interface AskedChange extends Omit<WebhookChange, "secret"> {
  readonly secret?: string;
}

/** Reads the body of a request that changes a webhook. @throws Problem that names all invalid fields */
export function readWebhookChange(body: WebhookPatch): AskedChange {
  const errors: FieldError[] = [];
  const { webhook_url: url, secret, num_retries: retries } = body;
  if (url !== undefined) for (const message of urlFaults(url)) errors.push({ field: "webhook_url", message });
  for (const message of secretFaults(secret)) errors.push({ field: "secret", message });
  const retryInterval = timeIn(body, "retry_interval_seconds", errors);
  const timeout = timeIn(body, "retry_timeout_seconds", errors);
  refuseFaults(errors);
  return {
    ...(url !== undefined && { url }),
    ...(secret !== undefined && { secret }),
    ...(retries !== undefined && { retries }),
    ...(retryInterval !== undefined && { retryInterval }),
    ...(timeout !== undefined && { timeout }),
  };
}

/** A time of a webhook in seconds, if the body has it. A time that is too long is one of the errors. */
function timeIn(
  body: Pick<NewWebhook, keyof typeof times>,
  field: keyof typeof times,
  errors: FieldError[],
): number | undefined {
  const value = body[field];
  const { most } = times[field];
  if (value !== undefined && value > most) errors.push({ field, message: `must be at most ${most}` });
  return value;
}

/** @throws Problem if there are errors */
function refuseFaults(errors: readonly FieldError[]): void {
  if (errors.length > 0)
    throw new Problem("bad-request", "Some fields of the webhook are invalid.", { errors });
}

/** The secret is sent in a header. */
function secretFaults(secret: string | undefined): readonly string[] {
  if (secret === undefined || /^[\x21-\x7e]{1,200}$/.test(secret)) return [];
  return [`must be 1 to ${longest.secret} visible ASCII characters without spaces`];
}

function urlFaults(url: string): readonly string[] {
  if (/\p{Cc}/u.test(url) || !isWebAddress(url))
    return ["must be a complete URL that starts with http:// or https://"];
  return url.length > longest.url ? [`must have at most ${longest.url} characters`] : [];
}
