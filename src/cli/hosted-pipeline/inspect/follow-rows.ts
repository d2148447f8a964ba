import { ApiProblem } from "../../../api/answers/problem.js";
import type { InspectEvent } from "../../../api/pipeline-operations.js";
import { backoff } from "../../../base/turns/backoff.js";
import { HttpError } from "../../../web/http/http-error.js";

/** Milliseconds without a connection after which to give up. */
const longestSilence = 30 * 60_000;
const retries = { first: 500, longest: 15_000 };

/** Receives the events of an inspection. */
export interface RowsHearer {
  event(event: InspectEvent): void;
  /** Whether rows come, or why not. */
  connection(text: string): void;
}

/** The outside world of following. */
export interface FollowWorld {
  /** Connects once. */
  open(): AsyncIterable<InspectEvent>;
  /** Milliseconds. */
  now(): number;
  random(): number;
  pause(milliseconds: number): Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Follows the rows of a pipeline until it completes or the signal is aborted. It reconnects after a lost connection.
 * @throws ApiProblem, HttpError if the first connection fails, or none succeeds for 30 minutes
 */
export async function followRows(world: FollowWorld, hearer: RowsHearer): Promise<void> {
  const { signal } = world;
  let last: number | undefined;
  let failures = 0;
  for (;;) {
    let why = "the pipeline has stopped there";
    try {
      for await (const event of world.open()) {
        if (event.event === "nodes") hearer.connection("connected");
        failures = 0;
        last = world.now();
        if (event.event === "end" && event.how === "completed") return;
        hearer.event(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!mayPass(error, last !== undefined)) throw error;
      if (last !== undefined && world.now() - last > longestSilence) throw error;
      why = error.message;
    }
    if (signal.aborted) return;
    last ??= world.now();
    failures += 1;
    hearer.connection(`reconnecting: ${why}`);
    await world.pause(backoff(failures, retries, world.random()));
    if (signal.aborted) return;
  }
}

/** Whether a failure may pass. @param wasConnected whether there was a connection before */
function mayPass(error: unknown, wasConnected: boolean): error is ApiProblem | HttpError {
  if (error instanceof ApiProblem) {
    const { status } = error;
    return status === 429 || status === 503 || (wasConnected && (status === 422 || status >= 500));
  }
  return wasConnected && error instanceof HttpError && ["unreachable", "timeout", "cut"].includes(error.kind);
}
