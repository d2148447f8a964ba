import type { World } from "../../base/world.js";
import { parseAddress } from "./address.js";
import { HttpError, type HttpFailure } from "./http-error.js";
import type { HttpAnswer, HttpRequest } from "./http-request.js";
import { networkFailure } from "./network-failure.js";
import { conceal, type Prepared, prepare } from "./prepare.js";
import { watchProgress } from "./progress-watch.js";
import { readBytes } from "./read-bytes.js";
import { parseRetryAfter } from "./retry-after.js";

/** A server-sent event. */
export interface ServerEvent {
  /** `message` by default. */
  readonly event: string;
  readonly data: string;
}

/** An event is longer than the limit. */
export class EventTooLong extends Error {
  override readonly name = "EventTooLong";
}

/** Milliseconds without a byte after which the connection counts as lost. */
const longestSilence = 60_000;
/** Limit of an event, in characters. */
const longestEvent = 16 * 1_048_576;
/** Limit of a refusal, in bytes. */
const longestRefusal = 1_048_576;

/** A server's answer to a request for events. */
export type EventsAnswer =
  /** Iterating throws HttpError when the connection is lost. */
  | { readonly kind: "events"; readonly events: AsyncGenerator<ServerEvent> }
  /** Another status than 200, or another media type. */
  | { readonly kind: "other"; readonly answer: HttpAnswer };

/**
 * Asks a server for server-sent events, once.
 * @param signal ends the exchange
 * @throws HttpError when there is no response
 */
export async function openEvents(
  request: HttpRequest,
  world: World,
  signal: AbortSignal,
): Promise<EventsAnswer> {
  const address = parseAddress(request.url);
  if (!address) {
    const reason = 'the address is not a URL that starts with "http://" or "https://"';
    throw new HttpError("unsendable", { message: reason, reason }, false);
  }
  const prepared = prepare(request, address);
  const watch = watchProgress(world, longestSilence);
  const fail = (error: unknown): HttpError => {
    watch.stop();
    return toHttpError(error, prepared, watch.signal);
  };
  try {
    const response = await world.fetch(address.href, {
      method: request.method,
      headers: prepared.headers,
      redirect: "manual",
      signal: AbortSignal.any([watch.signal, signal]),
    });
    watch.moved();
    const { status, statusText, headers } = response;
    if (status === 200 && headers.get("content-type")?.startsWith("text/event-stream"))
      return { kind: "events", events: events(response, watch.moved, watch.stop, fail) };
    const bytes = await readBytes(response, longestRefusal, watch.moved);
    watch.stop();
    const retryAfter = parseRetryAfter(headers.get("retry-after"), world.now());
    const answer = {
      status,
      statusText,
      headers,
      bytes,
      attempts: 1,
      text: new TextDecoder().decode(bytes),
      ...(retryAfter !== undefined && { retryAfter }),
    };
    return { kind: "other", answer };
  } catch (error) {
    throw fail(error);
  }
}

async function* events(
  response: Response,
  moved: () => void,
  stop: () => void,
  fail: (error: unknown) => HttpError,
): AsyncGenerator<ServerEvent> {
  async function* texts(): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const piece of response.body ?? []) {
      moved();
      yield decoder.decode(piece, { stream: true });
    }
  }
  try {
    yield* eventsIn(texts(), longestEvent);
  } catch (error) {
    throw fail(error);
  } finally {
    stop();
  }
}

function toHttpError(error: unknown, request: Prepared, silence: AbortSignal): HttpError {
  const { kind, reason } = named(error, request, silence);
  return new HttpError(kind, { message: `${request.address.origin}: ${reason}`, reason }, false, error);
}

function named(
  error: unknown,
  request: Prepared,
  silence: AbortSignal,
): { readonly kind: HttpFailure; readonly reason: string } {
  if (silence.aborted) return { kind: "timeout", reason: `no answer within ${longestSilence / 1000} s` };
  if (error instanceof EventTooLong) return { kind: "too-large", reason: error.message };
  if (error instanceof Error && error.name === "AbortError")
    return { kind: "interrupted", reason: "interrupted" };
  return networkFailure(error, (text) => conceal(text, request));
}

/**
 * Reads server-sent events from pieces of text, as they arrive. An incomplete event at the end is left out.
 * @param most the longest event, in characters
 * @throws EventTooLong
 */
export async function* eventsIn(texts: AsyncIterable<string>, most: number): AsyncGenerator<ServerEvent> {
  let rest = "";
  let event = "";
  let data: string[] = [];
  let length = 0;
  for await (const text of texts) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line.replace(/\r$/, "")) ?? [];
      length += line.length;
      if (length > most) throw tooLong(most);
      if (field === "event") event = value;
      else if (field === "data") data.push(value);
      if (line.replace(/\r$/, "") !== "") continue;
      if (data.length > 0) yield { event: event || "message", data: data.join("\n") };
      [event, data, length] = ["", [], 0];
    }
    if (rest.length + length > most) throw tooLong(most);
  }
}

function tooLong(most: number): EventTooLong {
  return new EventTooLong(`an event is longer than ${most / 1_048_576} MiB`);
}
