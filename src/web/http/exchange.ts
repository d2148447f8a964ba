import { visible } from "../../base/text/visible.js";
import type { World } from "../../base/world.js";
import { HttpError, type HttpFailure } from "./http-error.js";
import { networkFailure } from "./network-failure.js";
import { conceal, type Prepared } from "./prepare.js";
import { type ProgressWatch, watchProgress } from "./progress-watch.js";
import { AnswerTooLong, readBytes } from "./read-bytes.js";
import { parseRetryAfter } from "./retry-after.js";

/** Limits of one HTTP exchange. */
export interface ExchangeLimits {
  /** Milliseconds without any progress. */
  readonly timeout: number;
  /** Milliseconds from the first byte of the response to its end. */
  readonly answerTime: number;
  /** Bytes of the response. */
  readonly maxAnswer: number;
}

export interface Received {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  /** Milliseconds of the `Retry-After` header. */
  readonly retryAfter: number | undefined;
}

/** The outcome of one HTTP exchange. */
export interface HttpExchange {
  readonly outcome: Received | HttpError;
  /** Bytes of the body that were handed to the network. */
  readonly sent: number;
}

/** Sends a request once; never rejects for a failure of the network. */
export async function exchange(
  request: Prepared,
  world: World,
  limits: ExchangeLimits,
): Promise<HttpExchange> {
  const watch = watchProgress(world, limits.timeout);
  const upload: Upload = { begun: false, sent: 0 };
  try {
    const response = await world.fetch(request.address.href, {
      method: request.method,
      headers: request.headers,
      // The target of the redirect must not get the token.
      redirect: "manual",
      signal: watch.signal,
      ...bodyOf(request, watch, upload),
    });
    watch.moved();
    watch.answering(limits.answerTime);
    const bytes = await readBytes(response, limits.maxAnswer, watch.moved);
    return { outcome: judge(response, bytes, request, world), sent: upload.sent };
  } catch (error) {
    if ("bug" in upload) throw upload.bug;
    return { outcome: toHttpError(error, { request, watch, limits, upload }), sent: upload.sent };
  } finally {
    watch.stop();
  }
}

/** Progress of uploading a body. */
interface Upload {
  begun: boolean;
  /** Bytes. */
  sent: number;
  /** The error of `onProgress`: a bug of the caller, not a network failure. */
  bug?: unknown;
}

function bodyOf(
  { body, onProgress }: Prepared,
  watch: ProgressWatch,
  upload: Upload,
): { body?: string | ReadableStream; duplex?: "half" } {
  if (body === undefined) return {};
  if (typeof body === "string") {
    upload.begun = true;
    upload.sent = Buffer.byteLength(body);
    return { body };
  }
  const { length, chunks } = body;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks()) {
      upload.begun = true;
      yield chunk;
      // The stream asked for the next chunk or for the end, so this one was sent.
      upload.sent += chunk.length;
      watch.moved();
      try {
        onProgress?.(upload.sent, length);
      } catch (error) {
        upload.bug = error;
        throw error;
      }
    }
  }
  return { body: ReadableStream.from(pieces()), duplex: "half" };
}

function judge(response: Response, bytes: Uint8Array, request: Prepared, world: World): Received | HttpError {
  const { status, statusText, headers } = response;
  if (status >= 300 && status < 400) return redirected(headers.get("location"), status, request);
  const retryAfter = parseRetryAfter(headers.get("retry-after"), world.now());
  return { status, statusText, headers, bytes, retryAfter };
}

function redirected(location: string | null, status: number, request: Prepared): HttpError {
  const { origin, href } = request.address;
  const target = location !== null && URL.canParse(location, href) ? new URL(location, href) : undefined;
  if (!target) {
    const reason = `the server redirects to an invalid address (status ${status})`;
    return new HttpError("redirected", { message: `${origin}: ${reason}`, reason }, false);
  }
  const where = `${target.protocol}//${target.host}${target.pathname}`;
  const shown = visible(conceal(where, request)).slice(0, 200);
  const reason = `the server redirects to "${shown}" (status ${status}), which is not followed; if that address is right, use it instead`;
  return new HttpError("redirected", { message: `${origin}: ${reason}`, reason }, false, undefined, target);
}

interface Circumstances {
  readonly request: Prepared;
  readonly watch: ProgressWatch;
  readonly limits: ExchangeLimits;
  readonly upload: Upload;
}

function toHttpError(error: unknown, circumstances: Circumstances): HttpError {
  const { request, upload } = circumstances;
  const { kind, reason } = nameFailure(error, circumstances);
  const told = request.body === undefined || upload.begun;
  const mayHaveHappened = request.method !== "GET" && kind !== "unreachable" && told;
  return new HttpError(
    kind,
    { message: `${request.address.origin}: ${reason}`, reason },
    mayHaveHappened,
    error,
  );
}

function nameFailure(
  error: unknown,
  { request, watch, limits, upload }: Circumstances,
): { kind: HttpFailure; reason: string } {
  if (watch.isEndless) {
    return { kind: "endless", reason: `the answer was not complete within ${limits.answerTime / 1000} s` };
  }
  if (watch.signal.aborted) return { kind: "timeout", reason: lateness(request, limits, upload) };
  if (error instanceof AnswerTooLong) return { kind: "too-large", reason: error.message };
  if (error instanceof Error && error.name === "AbortError")
    return { kind: "interrupted", reason: "interrupted" };
  return networkFailure(error, (text) => conceal(text, request));
}

function lateness({ body }: Prepared, { timeout }: ExchangeLimits, { sent }: Upload): string {
  const time = `${timeout / 1000} s`;
  if (typeof body !== "object" || sent === body.length) return `no answer within ${time}`;
  return `the upload stalled for ${time} after ${sent} of ${body.length} bytes`;
}
