import type { World } from "../../base/world.js";
import { parseAddress } from "./address.js";
import { HttpError, type HttpFailure } from "./http-error.js";
import type { HttpAnswer, HttpRequest } from "./http-request.js";
import { networkFailure } from "./network-failure.js";
import { conceal, type Prepared, prepare } from "./prepare.js";
import { watchProgress } from "./progress-watch.js";
import { readBytes } from "./read-bytes.js";
import { parseRetryAfter } from "./retry-after.js";

/** Milliseconds without a byte after which the connection counts as lost. */
const longestSilence = 60_000;
/** Limit of a refusal, in bytes. */
const longestRefusal = 1_048_576;

/** A server's answer to a request for a stream. */
export type StreamAnswer =
  /** Iterating throws HttpError when the connection is lost. */
  | { readonly kind: "stream"; readonly pieces: AsyncGenerator<Uint8Array> }
  /** Another status than 200, or another media type. */
  | { readonly kind: "other"; readonly answer: HttpAnswer };

/**
 * Sends a request once, whose answer is read as it arrives.
 * @param media the media type of the stream
 * @param signal ends the exchange
 * @throws HttpError when there is no response
 */
export async function openStream(
  request: HttpRequest,
  world: World,
  media: string,
  signal?: AbortSignal,
): Promise<StreamAnswer> {
  const address = parseAddress(request.url);
  if (!address) {
    const reason = 'the address is not a URL that starts with "http://" or "https://"';
    throw new HttpError("unsendable", { message: reason, reason }, false);
  }
  const prepared = prepare(request, address);
  if (typeof prepared.body === "object") throw new RangeError("a form cannot be sent for a stream");
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
      signal: signal ? AbortSignal.any([watch.signal, signal]) : watch.signal,
      ...(prepared.body !== undefined && { body: prepared.body }),
    });
    watch.moved();
    const { status, statusText, headers } = response;
    if (status === 200 && headers.get("content-type")?.startsWith(media))
      return { kind: "stream", pieces: pieces(response, watch.moved, watch.stop, fail) };
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

async function* pieces(
  response: Response,
  moved: () => void,
  stop: () => void,
  fail: (error: unknown) => HttpError,
): AsyncGenerator<Uint8Array> {
  const bytes = (response.body ?? new ReadableStream<Uint8Array>()).values();
  try {
    for (;;) {
      const { done, value } = await bytes.next().catch((error: unknown) => {
        throw fail(error);
      });
      if (done) return;
      moved();
      yield value;
    }
  } finally {
    stop();
    await bytes.return?.().catch(() => undefined);
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
  if (error instanceof Error && error.name === "AbortError")
    return { kind: "interrupted", reason: "interrupted" };
  return networkFailure(error, (text) => conceal(text, request));
}
