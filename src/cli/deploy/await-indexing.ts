import { visible } from "../../base/text/visible.js";
import type { DeployResult } from "../../deploy/deploy-all.js";
import type { DeploymentStatus, DeployTarget } from "../../deploy/target.js";
import { pause } from "../../machine/world.js";
import { exitCodes } from "../terminal/exit-codes.js";
import { progressLine, rateOf, WatchedWork } from "../terminal/progress.js";
import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";

/** Milliseconds between two polls: at first, and at most. */
const firstInterval = 250;
const longestInterval = 5_000;
/** Milliseconds to wait for a deployment to start indexing. */
const patience = 60_000;
/** Milliseconds after the first block during which the first handlers may still fail, and between polls meanwhile. */
const grace = 5_000;
const graceInterval = 1_000;
/** Milliseconds in which a synced deployment may still reach the head that was seen at that time. */
const closing = 5_000;
/** Milliseconds to wait for a block that fails repeatedly. */
const retryPatience = 300_000;

/** A deployment whose status is polled. */
interface Awaited {
  readonly label: string;
  /** The command that starts it when it is paused, if there is one. */
  readonly start: string | undefined;
  readonly result: DeployResult;
  readonly look: () => Promise<DeploymentStatus | undefined>;
}

/** The status in which waiting for a deployment ended. */
export interface WaitEnd {
  /** `waiting` when the time limit was reached; the same block may be failing repeatedly. */
  readonly state: "failed" | "paused" | "indexing" | "synced" | "waiting";
  /** The last status that the target returned. */
  readonly status: DeploymentStatus | undefined;
}

/** The time that passes while a command polls. */
export interface PollClock {
  /** Milliseconds since a fixed point in time; never decreases. */
  readonly now: () => number;
  /** Waits for a number of milliseconds, or until the signal is aborted. */
  readonly pause: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

const realClock: PollClock = { now: () => performance.now(), pause };

/** The state to wait for, and a callback for the end of each wait. */
export interface Awaiting {
  readonly goal: "indexing" | "synced";
  readonly onEnd: (result: DeployResult, end: WaitEnd) => void;
}

/**
 * Polls for at most a minute until every deployment is indexing and its first handlers have not failed, or polls until
 * every deployment is synced. Reports once each error after which indexing continues, and each block that fails and is
 * retried. Waits for a retried block for the rest of the minute or, until synced, for five minutes.
 * @returns the exit code: 1 when a deployment failed, was paused by an error, keeps failing in a block, or is paused
 *   while waiting for it to be synced
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
  let first: number | undefined;
  let synced: { readonly head: number; readonly since: number } | undefined;
  const told: Told = { hasError: false };
  const blocks = new WatchedWork();
  for (let interval = firstInterval; ; interval = Math.min(interval * 2, longestInterval)) {
    const status = await look();
    const now = clock.now();
    if (status?.block !== undefined) begun ??= now;
    first ??= status?.block;
    const { block, head, startBlock = first, synced: isSynced } = status ?? {};
    const isUnderWay = block !== undefined && head !== undefined && !isSynced && !status?.paused;
    const work = isUnderWay ? blocks.see({ from: startBlock, done: block, total: head }, now) : undefined;
    const rate = work && rateOf(work);
    const parts = [...(rate === undefined ? [] : [`${rate} blocks/s`]), progress(status)];
    line.show(() => `${label}: ${work ? progressLine(work, parts) : progress(status)}`);
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
      // The next report gets separate lines; the other deployments then show their status lines again.
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

/** The errors of a deployment that were reported. */
interface Told {
  /** Whether an error after which indexing continues was reported. */
  hasError: boolean;
  /** The block after which indexing fails repeatedly, and the time in milliseconds when that was first seen. */
  retried?: { readonly after: number | undefined; readonly since: number } | undefined;
}

/** The text for errors that were not reported yet; marks them as reported. */
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

/** Whether a block fails and is retried. Our own servers call that failed, and return since when. */
function isRetried(
  status: DeploymentStatus | undefined,
): status is DeploymentStatus & { readonly fatalError: string } {
  if (status?.fatalError === undefined) return false;
  return status.health !== "failed" || status.failingSince !== undefined;
}

/** Whether a handler failed and failures are not tolerated, which pauses a deployment that is not synced. */
export function isHalted(status: DeploymentStatus | undefined): boolean {
  return status?.paused === true && !status.synced && status.health === "unhealthy";
}

function retriedText(status: DeploymentStatus & { readonly fatalError: string }): string {
  const { block, fatalError, failingSince } = status;
  const place = block === undefined ? "in the first block" : `after block ${block}`;
  // Our own servers say in the error that they retry.
  const again = failingSince === undefined ? " and is retried" : "";
  return `indexing fails ${place}${again}: ${visible(fatalError)}`;
}

/** Milliseconds since waiting started, since the first block was seen, and since the same block has been failing. */
interface Elapsed {
  readonly waited: number;
  readonly indexed: number | undefined;
  readonly retried: number | undefined;
  /** Whether it is synced but still near the head: it counts as synced ten blocks before, and those may still fail. */
  readonly isClosing: boolean;
}

/** The state in which waiting ends; `undefined` while it continues. */
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
  const idle = status?.idle;
  return `${label}: ${progress(status)}${idle === undefined ? "" : `. ${visible(idle)}`}`;
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
  return `catching up, block ${block}${head === undefined ? "" : ` of ${head}`}${trouble}`;
}
