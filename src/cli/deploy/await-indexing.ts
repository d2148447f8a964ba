import { visible } from "../../base/visible.js";
import type { DeployResult } from "../../deploy/deploy-all.js";
import type { DeploymentStatus, DeployTarget } from "../../deploy/target.js";
import { pause } from "../../node/world.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";

/** Milliseconds between two polls: at first, and at most. */
const firstInterval = 250;
const longestInterval = 5_000;
/** Milliseconds until a deployment that does not start indexing is no longer waited for. */
const patience = 60_000;
/** Milliseconds after the first block in which the first handlers may still fail, and the polls meanwhile. */
const grace = 5_000;
const graceInterval = 1_000;
/** Milliseconds in which a deployment that counts as synced may still come to the head that was seen then. */
const closing = 5_000;
/** Milliseconds until a block that fails again and again is no longer waited for. */
const retryPatience = 300_000;

/** A deployment whose status is polled. */
interface Awaited {
  readonly label: string;
  /** What starts it when it is paused; nothing where no command does. */
  readonly start: string | undefined;
  readonly result: DeployResult;
  readonly look: () => Promise<DeploymentStatus | undefined>;
}

/** The status in which waiting for a deployment ended. */
export interface WaitEnd {
  /** `waiting` when the time limit was reached; it may fail in the same block again and again then. */
  readonly state: "failed" | "paused" | "indexing" | "synced" | "waiting";
  /** The last status that the target returned. */
  readonly status: DeploymentStatus | undefined;
}

/** The time that passes while a command polls. */
export interface PollClock {
  /** Milliseconds from a fixed beginning; they never go back. */
  readonly now: () => number;
  /** Waits for milliseconds, until the signal is aborted at the latest. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const realClock: PollClock = { now: () => performance.now(), pause };

/** What to wait for, and a callback for the end of each wait. */
export interface Awaiting {
  readonly goal: "indexing" | "synced";
  readonly onEnd: (result: DeployResult, end: WaitEnd) => void;
}

/**
 * Polls until every deployment is indexing and its first handlers did not fail, for at most a minute, or until
 * every deployment is synced. An error after which indexing goes on is said once, and so is a block that fails and is
 * tried again, for which it waits: for what is left of the minute, or for five.
 * @returns the exit code: 1 when a deployment failed, was paused by an error or keeps failing in a block, or is paused
 *   when it was to be synced
 */
export async function awaitIndexing(
  results: readonly DeployResult[],
  target: DeployTarget,
  awaiting: Awaiting,
  terminal: Terminal,
  clock = realClock,
): Promise<number> {
  const line = new StatusLine(terminal, clock.now);
  const waiting = results.flatMap((result): Awaited[] => {
    if (!("deployment" in result) || result.state === "taken") return [];
    const { request, deployment } = result;
    const label = `${request.name}/${request.version}`;
    const start = target.isManaged ? `graphloom subgraph start ${label}` : undefined;
    return [{ label, start, result, look: () => target.status(request, deployment) }];
  });
  try {
    const codes = await Promise.all(waiting.map((each) => awaitOne(each, awaiting, line, terminal, clock)));
    return Math.max(exitCodes.clean, ...codes);
  } finally {
    line.end();
  }
}

async function awaitOne(
  awaited: Awaited,
  { goal, onEnd }: Awaiting,
  line: StatusLine,
  terminal: Terminal,
  clock: PollClock,
): Promise<number> {
  const { label, result, look } = awaited;
  const since = clock.now();
  let begun: number | undefined;
  let synced: { readonly head: number; readonly since: number } | undefined;
  const told: Told = { hasError: false };
  for (let interval = firstInterval; ; interval = Math.min(interval * 2, longestInterval)) {
    const status = await look();
    const now = clock.now();
    if (status?.block !== undefined) begun ??= now;
    line.show(() => `${label}: ${progress(status)}`);
    if (status?.synced) synced ??= { head: status.head ?? 0, since: now };
    const isClosing =
      synced !== undefined && (status?.block ?? 0) < synced.head && now - synced.since < closing;
    const error = newError(status, told, now);
    const elapsed = {
      waited: now - since,
      indexed: begun && now - begun,
      retried: told.retried && now - told.retried.since,
      isClosing,
    };
    const state = endOf(status, goal, elapsed);
    if (!state && error !== undefined) line.print(`${label}: ${error}\n`);
    if (state) {
      line.print(`${lastWords(awaited, state, status)}\n`);
      // What is reported next stands on lines of its own; the others show theirs again.
      line.end();
      onEnd(result, { state, status });
      return exitCodeOf(state, status, goal);
    }
    const isInGrace = isClosing || (goal === "indexing" && begun !== undefined);
    await clock.pause(isInGrace ? Math.min(interval, graceInterval) : interval, terminal.signal);
    if (terminal.signal.aborted) {
      onEnd(result, { state: "waiting", status });
      return exitCodes.interrupted;
    }
  }
}

/** What was told of the errors of a deployment. */
interface Told {
  /** Whether an error after which indexing goes on was told. */
  hasError: boolean;
  /** The block after which indexing fails again and again, and since when that is seen, in milliseconds. */
  retried?: { readonly after: number | undefined; readonly since: number } | undefined;
}

/** What is to be said of errors that were not told yet; they are noted as told. */
function newError(status: DeploymentStatus | undefined, told: Told, now: number): string | undefined {
  if (!isRetried(status)) told.retried = undefined;
  else if (told.retried?.after !== status.block || !told.retried) {
    told.retried = { after: status.block, since: now };
    return retriedText(status);
  }
  if (told.hasError || status?.lastError === undefined) return undefined;
  told.hasError = true;
  return `error, but indexing continues: ${visible(status.lastError)}`;
}

/** Whether a block fails and is tried again. Our own servers call that failed, and say since when. */
function isRetried(
  status: DeploymentStatus | undefined,
): status is DeploymentStatus & { readonly fatalError: string } {
  if (status?.fatalError === undefined) return false;
  return status.health !== "failed" || status.failingSince !== undefined;
}

/** Whether a handler failed where failures are not borne, which pauses what is not synced. */
export function isHalted(status: DeploymentStatus | undefined): boolean {
  return status?.paused === true && !status.synced && status.health === "unhealthy";
}

function retriedText(status: DeploymentStatus & { readonly fatalError: string }): string {
  const { block, fatalError, failingSince } = status;
  const place = block === undefined ? "in the first block" : `after block ${block}`;
  // Our own servers say it in the error.
  const again = failingSince === undefined ? " and is retried" : "";
  return `indexing fails ${place}${again}: ${visible(fatalError)}`;
}

/** Milliseconds since waiting has begun, since the first block was seen, and since the same block fails. */
interface Elapsed {
  readonly waited: number;
  readonly indexed: number | undefined;
  readonly retried: number | undefined;
  /** Whether it is synced, which it is ten blocks before the head, and the last of them may still fail. */
  readonly isClosing: boolean;
}

/** The state in which waiting ends; `undefined` when it goes on. */
function endOf(
  status: DeploymentStatus | undefined,
  goal: Awaiting["goal"],
  { waited, indexed, retried, isClosing }: Elapsed,
): WaitEnd["state"] | undefined {
  if (status?.health === "failed" && !isRetried(status)) return "failed";
  if (status?.paused) return "paused";
  const isFuture = status !== undefined && isBeforeStart(status);
  const isTrying = retried !== undefined;
  if (status?.synced && !isFuture && !isClosing && !isTrying) return "synced";
  if (goal === "synced") return isTrying && retried >= retryPatience ? "waiting" : undefined;
  if (indexed !== undefined && !isTrying) return indexed >= grace ? "indexing" : undefined;
  return isFuture || waited > patience ? "waiting" : undefined;
}

function exitCodeOf(
  state: WaitEnd["state"],
  status: DeploymentStatus | undefined,
  goal: Awaiting["goal"],
): number {
  const isPaused = state === "paused" && (goal === "synced" || isHalted(status));
  const isMissed = state === "failed" || isPaused || (state === "waiting" && isRetried(status));
  return isMissed ? exitCodes.diagnostics : exitCodes.clean;
}

function lastWords(
  { label, start }: Awaited,
  state: WaitEnd["state"],
  status: DeploymentStatus | undefined,
): string {
  if (state === "failed") {
    return `${label} failed${status?.fatalError === undefined ? "" : `: ${visible(status.fatalError)}`}`;
  }
  if (state === "paused") {
    const advice = start === undefined ? "" : ` To continue, run: ${start}`;
    if (!isHalted(status)) return `${label}: ${progress(status)}.${advice}`;
    const why = status?.lastError === undefined ? "" : `: ${visible(status.lastError)}`;
    return `${label} failed before it was synced and is ${progress(status)}${why}${advice && `\n${advice.trim()}`}`;
  }
  if (state === "waiting" && !(status && isBeforeStart(status))) {
    const what = isRetried(status)
      ? `${label} makes no progress: ${retriedText(status)}\n`
      : `${label} has not started indexing after a minute. `;
    return `${what}It is deployed; check again later.`;
  }
  return `${label}: ${progress(status)}`;
}

/** Whether the chain has not reached the first block to index. */
function isBeforeStart({ block, head, startBlock }: DeploymentStatus): boolean {
  return block === undefined && head !== undefined && startBlock !== undefined && head < startBlock;
}

function progress(status: DeploymentStatus | undefined): string {
  if (!status) return "waiting for the first status";
  const { block, head, synced, health, paused } = status;
  const trouble = health === "unhealthy" || isRetried(status) ? ", with errors" : "";
  if (paused) return `paused${block === undefined ? "" : ` at block ${block}`}${trouble}`;
  if (isBeforeStart(status))
    return `waiting for block ${status.startBlock}; the chain is at block ${head}${trouble}`;
  if (synced) return `synced${block === undefined ? "" : ` at block ${block}`}${trouble}`;
  if (block === undefined) return `waiting for the first block${trouble}`;
  return `indexing, block ${block}${head === undefined ? "" : ` of ${head}`}${trouble}`;
}
