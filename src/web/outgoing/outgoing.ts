import { lookup as lookUp } from "node:dns/promises";
import { Agent } from "node:http";
import { Agent as SecureAgent } from "node:https";
import { isIP } from "node:net";
import { type ServerTls, tlsClientOptions } from "../../base/server-tls.js";
import type { World } from "../../base/world.js";
import { parseAddress, redact } from "../http/address.js";
import { networkFailure } from "../http/network-failure.js";
import { type AddressPolicy, createAddressRule } from "./address-rule.js";
import { type ExchangeAnswer, exchange } from "./exchange.js";
import { guardedLookup, type Resolve } from "./guarded-lookup.js";
import { OutgoingError } from "./outgoing-error.js";
import type { OutgoingAnswer, OutgoingRequest } from "./outgoing-request.js";
import { portOf } from "./port-of.js";

/** A request and its destination. */
interface Hop {
  readonly url: URL;
  readonly request: OutgoingRequest;
}

/** Statuses that repeat the request at the new address, and statuses that turn it into a GET. */
const same = [307, 308];

const looking = [301, 302, 303];

/** The only way to send requests to addresses that users give. */
export interface Outgoing {
  /** @throws OutgoingError */
  send(request: OutgoingRequest): Promise<OutgoingAnswer>;
  /** Closes the idle connections. */
  close(): void;
}

/** Which addresses may be reached, and how hosts are resolved; by default, as the system does. */
export interface OutgoingOptions extends AddressPolicy {
  readonly resolve?: Resolve;
}

/** Milliseconds for which an unused connection stays open. */
const keptFor = 4_000;

/**
 * Sends requests to addresses that users give. Checks the destination of every connection, also after a redirect.
 * @throws RangeError for a list of addresses that cannot be read
 */
export function createOutgoing(options: OutgoingOptions, world: Pick<World, "timeout">): Outgoing {
  const rule = createAddressRule(options);
  const resolve: Resolve = options.resolve ?? ((host) => lookUp(host, { all: true }));
  const kept = { keepAlive: true, timeout: keptFor, maxFreeSockets: 16 };
  const plain = new Agent(kept);
  // A connection is used again only where certificates are checked the same way.
  const secure = new Map<string, SecureAgent>();
  const secureAgent = (tls: ServerTls = { checks: "all" }): SecureAgent => {
    const key = `${tls.checks} ${tls.authorities ?? ""}`;
    const known = secure.get(key) ?? new SecureAgent({ ...kept, ...tlsClientOptions(tls) });
    secure.set(key, known);
    return known;
  };

  async function hop(url: URL, request: OutgoingRequest, signal: AbortSignal): Promise<ExchangeAnswer> {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    // An IP address needs no lookup.
    const port = portOf(url);
    const reason = isIP(host) === 0 ? undefined : rule({ address: host, port });
    if (reason !== undefined) throw new OutgoingError("refused-address", reason);
    const lookup = guardedLookup(resolve, rule, port);
    const { method = "GET", body, mostBytes, excess = "refuse" } = request;
    return exchange({
      url,
      method,
      lookup,
      signal,
      mostBytes,
      excess,
      headers: { ...request.headers, ...request.secretHeaders },
      body: typeof body === "string" ? Buffer.from(body) : body,
      agent: url.protocol === "https:" ? secureAgent(request.tls) : plain,
    });
  }

  return {
    async send(request) {
      const late = world.timeout(request.timeout);
      const signal = request.signal ? AbortSignal.any([late, request.signal]) : late;
      try {
        let next = { url: checkedAddress(request.url), request };
        for (let left = request.redirects ?? 0; ; left--) {
          const answer = await hop(next.url, next.request, signal);
          const following = request.redirects ? nextHop(answer, next) : undefined;
          if (!following) return answer;
          if (left === 0) throw new OutgoingError("redirected", "the server redirects too many times");
          next = { ...following, url: checkedAddress(following.url.href) };
        }
      } catch (error) {
        throw toOutgoingError(error, request, late);
      }
    },
    close() {
      for (const agent of [plain, ...secure.values()]) agent.destroy();
    },
  };
}

function checkedAddress(text: string): URL {
  if (!parseAddress(text)) {
    throw new OutgoingError("bad-address", "the address is not a URL that starts with http:// or https://");
  }
  const url = new URL(text);
  url.hash = "";
  return url;
}

function toOutgoingError(
  error: unknown,
  { url, timeout, signal }: OutgoingRequest,
  late: AbortSignal,
): OutgoingError {
  if (error instanceof OutgoingError) return error;
  if (signal?.aborted) return new OutgoingError("stopped", "the request was stopped", { cause: error });
  if (late.aborted) {
    return new OutgoingError("time-out", `no answer within ${timeout / 1000} s`, { cause: error });
  }
  const secrets = parseAddress(url)?.secrets ?? [];
  const { kind, reason } = networkFailure(error, (text) => redact(text, secrets));
  return new OutgoingError(kind, reason, { cause: error });
}

/**
 * The target of a redirect; `undefined` if the answer is not a redirect. Secret headers never go to another origin.
 * @throws OutgoingError when the target is invalid, or less secure than the current address
 */
function nextHop({ status, headers }: ExchangeAnswer, { url, request }: Hop): Hop | undefined {
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
