import { isRecord } from "../../base/json-value.js";
import { isWebAddress } from "../../web/http/address.js";
import type { RetryRule } from "../catalog/webhooks.js";
import { type FieldError, Problem } from "../http/problem.js";

/** A webhook that is asked for. */
export interface AskedWebhook extends RetryRule {
  readonly name: string;
  readonly subgraph: string;
  readonly version: string;
  readonly entity: string;
  readonly url: string;
  /** Made by the server when it is missing. */
  readonly secret?: string;
  /** Extension: whether what is there already is sent first. */
  readonly fromStart: boolean;
}

const longest = { name: 42, url: 2_000, secret: 200 } as const;

/** What is not said is so; and what can be said at the most. */
const numbers = {
  num_retries: { least: 0, most: 10, usual: 10 },
  retry_interval_seconds: { least: 1, most: 86_400, usual: 30 },
  retry_timeout_seconds: { least: 1, most: 300, usual: 30 },
} as const;

const known = [
  ...["name", "subgraph_name", "subgraph_version", "entity", "webhook_url", "secret", "from_start"],
  ...Object.keys(numbers),
];

/** Reads the body of a request for a new webhook. @throws Problem that names all fields that are wrong */
export function readNewWebhook(body: unknown): AskedWebhook {
  if (!isRecord(body)) throw new Problem("bad-request", "Send a JSON object.");
  const errors: FieldError[] = [];
  const wrong = (field: string, message: string): void => void errors.push({ field, message });
  const text = (field: string): string => {
    const value = body[field];
    if (typeof value === "string") return value;
    wrong(field, value === undefined ? "is required" : "must be a text");
    return "";
  };
  const number = (field: keyof typeof numbers): number => {
    const { least, most, usual } = numbers[field];
    const value = body[field] ?? usual;
    if (typeof value === "number" && Number.isInteger(value) && value >= least && value <= most) return value;
    wrong(field, `must be a whole number from ${least} to ${most}`);
    return usual;
  };
  for (const field of Object.keys(body)) if (!known.includes(field)) wrong(field, "is not a field");
  const asked = {
    name: text("name"),
    subgraph: text("subgraph_name"),
    version: text("subgraph_version"),
    entity: text("entity"),
    url: text("webhook_url"),
    ...(body.secret !== undefined && { secret: text("secret") }),
    retries: number("num_retries"),
    retryInterval: number("retry_interval_seconds"),
    timeout: number("retry_timeout_seconds"),
    fromStart: body.from_start === true,
  };
  const { name, url, secret } = asked;
  if (typeof body.name === "string") {
    if (name.trim() === "") wrong("name", "must not be blank");
    else if ([...name].length > longest.name) wrong("name", `has at most ${longest.name} characters`);
    else if (/\p{Cc}/u.test(name)) wrong("name", "must not have control characters");
  }
  if (typeof body.subgraph_name === "string" && !/^[a-zA-Z][\w-]*$/.test(asked.subgraph)) {
    wrong("subgraph_name", "must be a letter, and letters, digits, - and _");
  }
  if (typeof body.subgraph_version === "string" && !/^[a-zA-Z0-9][\w+.-]*$/.test(asked.version)) {
    wrong("subgraph_version", "must be a letter or digit, and letters, digits, +, ., - and _");
  }
  if (typeof body.webhook_url === "string") {
    if (/\p{Cc}/u.test(url) || !isWebAddress(url))
      wrong("webhook_url", "must be a whole address, beginning with http:// or https://");
    else if (url.length > longest.url) wrong("webhook_url", `has at most ${longest.url} characters`);
  }
  // It travels in a header.
  if (typeof secret === "string" && !/^[\x21-\x7e]{1,200}$/.test(secret)) {
    wrong("secret", `must be 1 to ${longest.secret} visible characters of ASCII without blanks`);
  }
  if (body.from_start !== undefined && typeof body.from_start !== "boolean")
    wrong("from_start", "must be true or false");
  if (errors.length > 0)
    throw new Problem("bad-request", "The webhook cannot be made like this.", { errors });
  return asked;
}
