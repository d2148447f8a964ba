import type { World } from "../../base/world.js";
import { parseAddress, redact } from "./address.js";
import { exchange, type HttpExchange } from "./exchange.js";
import { HttpError } from "./http-error.js";
import type { HttpAnswer, HttpRequest } from "./http-request.js";
import { prepare } from "./prepare.js";
import { isTransient, mostAttempts, retryWait } from "./retry-wait.js";

/** Options of sending; everything has a default. */
export interface SendOptions {
  /** Milliseconds without any progress after which an exchange fails; 60 seconds by default. */
  readonly timeout?: number | undefined;
  /** Milliseconds from the first byte of a response to its end, whatever its progress; five minutes by default. */
  readonly answerTime?: number | undefined;
  /** Size limit of a response in bytes; 16 MiB by default. */
  readonly maxAnswer?: number | undefined;
  /** The most attempts of a request that may be retried; three by default. */
  readonly attempts?: number | undefined;
  /** Called after every exchange with one line without secrets. */
  readonly onRequest?: ((line: string) => void) | undefined;
  /** Called before every retry with the reason and the milliseconds until then. */
  readonly onRetry?: ((why: string, wait: number) => void) | undefined;
}

const defaultTimeout = 60_000;
const defaultAnswerTime = 300_000;
const largestAnswer = 16 * 1_048_576;

/**
 * Sends a request and returns the response, whatever its status. A missing response and the statuses 429, 500, 502,
 * 503, 504 and 520 to 524 are retried when `retry` allows it, up to three attempts in total.
 * @throws HttpError when there is no response
 */
export async function send(
  request: HttpRequest,
  world: World,
  options: SendOptions = {},
): Promise<HttpAnswer> {
  const address = parseAddress(request.url);
  if (!address) {
    const reason = 'the address is not a URL that starts with "http://" or "https://"';
    throw new HttpError("unsendable", { message: reason, reason }, false);
  }
  const prepared = prepare(request, address);
  const limits = {
    timeout: options.timeout ?? defaultTimeout,
    answerTime: options.answerTime ?? defaultAnswerTime,
    maxAnswer: options.maxAnswer ?? largestAnswer,
  };
  const shown = `${request.method} ${redact(request.shown ?? address.origin, prepared.credentials)}`;
  for (let attempts = 1; ; attempts++) {
    const start = world.now();
    const { outcome, sent } = await exchange(prepared, world, limits);
    options.onRequest?.(lineOf(shown, { outcome, sent }, world.now() - start));
    const mayTryAgain = request.retry && attempts < (options.attempts ?? mostAttempts);
    const wait = mayTryAgain ? waitAfter(outcome, attempts, world) : undefined;
    if (wait === undefined) return settle(outcome, attempts);
    options.onRetry?.(whyOf(outcome, address.origin), wait);
    await sleep(wait, world, address.origin);
  }
}

/** Milliseconds until the next attempt; `undefined` when there is no retry. */
function waitAfter(outcome: HttpExchange["outcome"], attempts: number, world: World): number | undefined {
  if (!(outcome instanceof HttpError)) {
    return isTransient(outcome.status) ? retryWait(attempts, world.random(), outcome.retryAfter) : undefined;
  }
  const mayPass = outcome.kind === "unreachable" || outcome.kind === "timeout" || outcome.kind === "cut";
  return mayPass ? retryWait(attempts, world.random(), undefined) : undefined;
}

function settle(outcome: HttpExchange["outcome"], attempts: number): HttpAnswer {
  if (!(outcome instanceof HttpError)) {
    const { retryAfter, ...answer } = outcome;
    return {
      ...answer,
      get text() {
        return new TextDecoder().decode(answer.bytes);
      },
      attempts,
      ...(retryAfter !== undefined && { retryAfter }),
    };
  }
  if (attempts === 1) throw outcome;
  const text = { message: `${outcome.message}; gave up after ${attempts} attempts`, reason: outcome.reason };
  throw new HttpError(outcome.kind, text, outcome.mayHaveHappened, outcome.cause, outcome.target);
}

async function sleep(milliseconds: number, world: World, origin: string): Promise<void> {
  try {
    await world.sleep(milliseconds);
  } catch (error) {
    const text = { message: `${origin}: interrupted`, reason: "interrupted" };
    throw new HttpError("interrupted", text, false, error);
  }
}

function whyOf(outcome: HttpExchange["outcome"], origin: string): string {
  return outcome instanceof HttpError ? outcome.message : `${origin}: status ${outcome.status}`;
}

function lineOf(shown: string, { outcome, sent }: HttpExchange, milliseconds: number): string {
  const result = outcome instanceof HttpError ? `no answer: ${outcome.reason}` : outcome.status;
  const amount = sent === 0 ? "" : `${sizeOf(sent)} sent, `;
  return `${shown} -> ${result} (${amount}${milliseconds} ms)`;
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
