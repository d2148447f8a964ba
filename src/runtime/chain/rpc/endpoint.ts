import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { messageOf } from "../../../base/text/message-of.js";
import type { World } from "../../../base/world.js";
import { parseAddress, redact } from "../../../web/http/address.js";
import { isClosed } from "../../../web/http/network-failure.js";
import { redirectRefusal } from "../../../web/http/redirect-target.js";
import { parseRetryAfter } from "../../../web/http/retry-after.js";
import { ChainError } from "../chain.js";
import { clip, saysListsTooLong, saysRangeTooWide, saysTooManyLogs } from "../rpc-errors.js";

/** The outcome of posting a body. */
export type PostOutcome =
  /** JSON of any shape, with an HTTP status that allows a JSON-RPC answer. */
  | { readonly kind: "json"; readonly value: unknown; readonly status: number }
  /**
   * A retry may succeed. `strained` is set when the node was reached but is overloaded, `limited` when it received too many
   * requests, and `refused` when it answered with an HTTP status or closed the connection.
   */
  | {
      readonly kind: "failed";
      readonly why: string;
      readonly strained: boolean;
      readonly limited?: boolean;
      readonly refused?: boolean;
      readonly wait?: number;
    }
  /** An HTTP status that no retry will change. */
  | { readonly kind: "refused"; readonly why: string; readonly status: number };

/** A node's URL, with its secrets kept separate. */
export interface RpcEndpoint {
  /** The part that messages may show: protocol, host and port. */
  readonly name: string;
  /** Posts a JSON document. Never rejects; `now` is in milliseconds since the Unix epoch. */
  post(body: string, signal: AbortSignal, now: () => number): Promise<PostOutcome>;
  /** Removes the URL's secrets from a foreign string, because nodes and network libraries repeat them. */
  redact(text: string): string;
}

/**
 * @throws ChainError when the address is not a web URL; the message does not quote it, because it may contain a key
 */
export function createRpcEndpoint(address: string, fetch: World["fetch"]): RpcEndpoint {
  const target = parseAddress(address);
  if (!target) {
    throw new ChainError('The address of the node is not a URL that starts with "http://" or "https://"');
  }
  const { href, origin, authorization, secrets } = target;
  const headers = {
    "content-type": "application/json",
    ...(authorization !== undefined && { authorization }),
  };
  const clean = (text: string): string => redact(text, secrets);

  async function post(body: string, signal: AbortSignal, now: () => number): Promise<PostOutcome> {
    let answer: Response;
    try {
      // Redirects are not followed: the user has not chosen their target, which must not get the key in the headers.
      answer = await fetch(href, { method: "POST", headers, body, signal, redirect: "manual" });
    } catch (error) {
      const strained = signal.aborted || (error instanceof Error && error.name === "TimeoutError");
      // Servers also end the connection when there is too much to answer.
      return { kind: "failed", why: clean(wordsOf(error, signal)), strained, refused: isClosed(error) };
    }
    const { status } = answer;
    if (status >= 300 && status < 400) {
      await answer.body?.cancel();
      const why = clean(redirectRefusal(answer.headers.get("location"), href, status));
      return { kind: "refused", why, status };
    }
    try {
      return judge(answer, await answer.text(), now(), clean);
    } catch (error) {
      const why = `the answer was cut off (${clean(wordsOf(error, signal))})`;
      return { kind: "failed", why, strained: true };
    }
  }

  return { name: origin, post, redact: clean };
}

/** The message of a network error. Libraries hide its reason (such as ECONNREFUSED) in the cause. */
function wordsOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return "no answer in time";
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : undefined;
  if (!(error instanceof Error) || !cause) return clip(messageOf(error));
  const words = messageOf(cause) || (cause as { code?: string }).code;
  return clip(words ? `${error.message}: ${words}` : error.message);
}

/** Statuses of proxies and of overloaded nodes; their bodies are never a JSON-RPC answer. */
const unavailable: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

function judge(answer: Response, text: string, now: number, redact: (text: string) => string): PostOutcome {
  const { status } = answer;
  const said = text.trim() === "" ? "" : `: ${clip(redact(text.slice(0, 1000)))}`;
  const value = parseJson(text);
  // A gateway may return a node's message about too wide a range with the status of a rate limit.
  if (unavailable.has(status) && isAnswer(value) && saysTooMuch(value))
    return { kind: "json", value, status };
  if (unavailable.has(status)) {
    const wait = parseRetryAfter(answer.headers.get("retry-after"), now);
    const why = `HTTP status ${status}${said}`;
    const isLimited = status === 429;
    const failed = {
      kind: "failed",
      why,
      strained: status === 504,
      limited: isLimited,
      refused: true,
    } as const;
    return wait === undefined ? failed : { ...failed, wait };
  }
  if (isAnswer(value)) return { kind: "json", value, status };
  if (status >= 500)
    return { kind: "failed", why: `HTTP status ${status}${said}`, strained: true, refused: true };
  if (status >= 300) return { kind: "refused", why: `HTTP status ${status}${said}`, status };
  return { kind: "failed", why: `not a JSON-RPC answer${said || ": it is empty"}`, strained: true };
}

/** Whether all errors in an answer are about ranges, results or lists that are too large. */
function saysTooMuch(value: unknown): boolean {
  const errors = [value].flat().flatMap((one) => (isRecord(one) && isRecord(one.error) ? [one.error] : []));
  const words = errors.map(({ message }) => (typeof message === "string" ? message : ""));
  return words.length > 0 && words.every(isTooMuch);
}

function isTooMuch(words: string): boolean {
  return saysRangeTooWide(words) || saysTooManyLogs(words) || saysListsTooLong(words).length > 0;
}

function isAnswer(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return typeof value === "object" && value !== null && ("result" in value || "error" in value);
}
