import type { ExchangeAnswer } from "./exchange.js";
import { OutgoingError } from "./outgoing-error.js";
import type { OutgoingRequest } from "./outgoing-request.js";

/** A request and where it goes. */
export interface Hop {
  readonly url: URL;
  readonly request: OutgoingRequest;
}

/** Statuses after which the same is asked again elsewhere, and those after which it is only looked at there. */
const same = [307, 308];
const looking = [301, 302, 303];

/**
 * Where an answer redirects to; nothing when it does not. What was meant for one host is not sent to another.
 * @throws OutgoingError for a place that is no address, or less safe than the one before
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
