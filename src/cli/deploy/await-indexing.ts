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

/** A deployment whose status is polled. */
interface Awaited {
  readonly label: string;
  readonly result: DeployResult;
  readonly look: () => Promise<DeploymentStatus | undefined>;
}

/** The status in which waiting for a deployment ended. */
export interface WaitEnd {
  /** `waiting` when the time limit was reached. */
  readonly state: "failed" | "paused" | "indexing" | "synced" | "waiting";
  /** The last status that the target returned. */
  readonly status: DeploymentStatus | undefined;
}

/** What to wait for, and a callback for the end of each wait. */
export interface Awaiting {
  readonly goal: "indexing" | "synced";
  readonly onEnd: (result: DeployResult, end: WaitEnd) => void;
}

/**
 * Polls until every deployment is indexing and its first handlers did not fail, for at most a minute, or until
 * every deployment is synced.
 * @returns the exit code: 1 when a deployment failed, or is paused when it was to be synced
 */
export async function awaitIndexing(
  results: readonly DeployResult[],
  target: DeployTarget,
  awaiting: Awaiting,
  terminal: Terminal,
): Promise<number> {
  const line = new StatusLine(terminal, () => performance.now());
  const waiting = results.flatMap((result): Awaited[] => {
    if (!("deployment" in result) || result.state === "taken") return [];
    const { request, deployment } = result;
    const label = `${request.name}/${request.version}`;
    return [{ label, result, look: () => target.status(request, deployment) }];
  });
  try {
    const codes = await Promise.all(waiting.map((each) => awaitOne(each, awaiting, line, terminal)));
    return Math.max(exitCodes.clean, ...codes);
  } finally {
    line.end();
  }
}

async function awaitOne(
  { label, result, look }: Awaited,
  { goal, onEnd }: Awaiting,
  line: StatusLine,
  terminal: Terminal,
): Promise<number> {
  const since = performance.now();
  let begun: number | undefined;
  for (let interval = firstInterval; ; interval = Math.min(interval * 2, longestInterval)) {
    const status = await look();
    const now = performance.now();
    if (status?.block !== undefined) begun ??= now;
    line.show(() => `${label}: ${progress(status)}`);
    const state = endOf(status, goal, { waited: now - since, indexed: begun && now - begun });
    if (state) {
      line.print(`${lastWords(label, state, status)}\n`);
      // What is reported next stands on lines of its own; the others show theirs again.
      line.end();
      onEnd(result, { state, status });
      return exitCodeOf(state, goal);
    }
    const isInGrace = goal === "indexing" && begun !== undefined;
    await pause(isInGrace ? Math.min(interval, graceInterval) : interval, terminal.signal);
    if (terminal.signal.aborted) {
      onEnd(result, { state: "waiting", status });
      return exitCodes.interrupted;
    }
  }
}

/** Milliseconds since waiting has begun, and since the first block was seen. */
interface Elapsed {
  readonly waited: number;
  readonly indexed: number | undefined;
}

/** The state in which waiting ends; `undefined` when it goes on. */
function endOf(
  status: DeploymentStatus | undefined,
  goal: Awaiting["goal"],
  { waited, indexed }: Elapsed,
): WaitEnd["state"] | undefined {
  if (status?.health === "failed") return "failed";
  if (status?.paused) return "paused";
  const isFuture = status !== undefined && isBeforeStart(status);
  if (status?.synced && !isFuture) return "synced";
  if (goal === "synced") return undefined;
  if (indexed !== undefined) return indexed >= grace ? "indexing" : undefined;
  return isFuture || waited > patience ? "waiting" : undefined;
}

function exitCodeOf(state: WaitEnd["state"], goal: Awaiting["goal"]): number {
  const isMissed = state === "failed" || (state === "paused" && goal === "synced");
  return isMissed ? exitCodes.diagnostics : exitCodes.clean;
}

function lastWords(label: string, state: WaitEnd["state"], status: DeploymentStatus | undefined): string {
  if (state === "failed") {
    return `${label} failed${status?.fatalError === undefined ? "" : `: ${visible(status.fatalError)}`}`;
  }
  if (state === "paused")
    return `${label}: ${progress(status)}. Go on with: graphloom subgraph start ${label}`;
  if (state === "waiting" && !(status && isBeforeStart(status))) {
    return `${label} has not begun to index after a minute. It is deployed; look again later.`;
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
  const trouble = health === "unhealthy" ? ", with errors" : "";
  if (paused) return `paused${block === undefined ? "" : ` at block ${block}`}${trouble}`;
  if (isBeforeStart(status))
    return `waiting for block ${status.startBlock}; the chain is at block ${head}${trouble}`;
  if (synced) return `synced${block === undefined ? "" : ` at block ${block}`}${trouble}`;
  if (block === undefined) return `waiting for the first block${trouble}`;
  return `indexing, block ${block}${head === undefined ? "" : ` of ${head}`}${trouble}`;
}
