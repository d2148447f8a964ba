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
 * Polls until every deployment is indexing, for at most a minute, or until every deployment is synced.
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
  for (let interval = firstInterval; ; interval = Math.min(interval * 2, longestInterval)) {
    const status = await look();
    line.show(() => `${label}: ${progress(status)}`);
    if (status?.health === "failed") {
      const why = status.fatalError === undefined ? "" : `: ${visible(status.fatalError)}`;
      line.print(`${label} failed${why}\n`);
      onEnd(result, { state: "failed", status });
      return exitCodes.diagnostics;
    }
    if (status?.paused) {
      line.print(`${label}: ${progress(status)}. Go on with: graphloom subgraph start ${label}\n`);
      onEnd(result, { state: "paused", status });
      return goal === "synced" ? exitCodes.diagnostics : exitCodes.clean;
    }
    if (status && (status.synced || (goal === "indexing" && status.block !== undefined))) {
      line.print(`${label}: ${progress(status)}\n`);
      onEnd(result, { state: status.synced ? "synced" : "indexing", status });
      return exitCodes.clean;
    }
    if (goal === "indexing" && performance.now() - since > patience) {
      line.print(`${label} has not begun to index after a minute. It is deployed; look again later.\n`);
      onEnd(result, { state: "waiting", status });
      return exitCodes.clean;
    }
    await pause(interval, terminal.signal);
    if (terminal.signal.aborted) {
      onEnd(result, { state: "waiting", status });
      return exitCodes.interrupted;
    }
  }
}

function progress(status: DeploymentStatus | undefined): string {
  if (!status) return "waiting for the first status";
  const { block, head, synced, health, paused } = status;
  const trouble = health === "unhealthy" ? ", with errors" : "";
  if (paused) return `paused${block === undefined ? "" : ` at block ${block}`}${trouble}`;
  if (synced) return `synced${block === undefined ? "" : ` at block ${block}`}${trouble}`;
  if (block === undefined) return `waiting for the first block${trouble}`;
  return `indexing, block ${block}${head === undefined ? "" : ` of ${head}`}${trouble}`;
}
