import type { ExchangeAnswer } from "./exchange.js";
import { OutgoingError } from "./outgoing-error.js";
import type { OutgoingRequest } from "./outgoing-request.js";

/** A request and its destination. */
export interface Hop {
  readonly url: URL;
  readonly request: OutgoingRequest;
}

/** Statuses that repeat the request at the new address, and statuses that turn it into a GET. */
const same = [307, 308];
const looking = [301, 302, 303];

/**
 * The target of a redirect; nothing when the answer is not one. Secret headers never go to another origin.
 * @throws OutgoingError when the target is invalid, or less secure than the current address
 */
export function nextHop({ status, headers }: ExchangeAnswer, { url, request }: Hop): Hop | undefined {
  const { location } = headers;
  if (location === undefined || ![...same, ...looking].includes(status)) return undefined;
  if (!URL.canParse(location, url.href))
    throw new OutgoingError("redirected", "the server redirects to an invalid address");
  const next = new URL(location, url);
  if (url.protocol === "https:" && next.protocol !== "https:") {
    throw new OutgoingError("redirected", "the server redirects from https to an insecure address");
  }
  const { secretHeaders, body, ...rest } = request;
  const isElsewhere = next.origin !== url.origin;
  const method = request.method ?? "GET";
  const onlyLooks = looking.includes(status) && method !== "GET" && method !== "HEAD";
  return {
    url: next,
    request: {
      ...rest,
      method: onlyLooks ? "GET" : method,
      ...(!isElsewhere && secretHeaders && { secretHeaders }),
      ...(!onlyLooks && body !== undefined && { body }),
    },
  };
}
