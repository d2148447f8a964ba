import type { PipelineInfo } from "../../api/pipeline-operations.js";
import { visible } from "../../base/text/visible.js";
import { pause } from "../../machine/world.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { wrapping } from "../terminal/word-wrap.js";
import { type NamedArguments, openPipeline, versionGiven } from "./named-pipeline.js";
import { infoText } from "./show-pipelines.js";

/** Arguments of `pipeline monitor`. */
export interface MonitorArguments extends NamedArguments {
  readonly updateRequest?: boolean | undefined;
  readonly maxRefreshes?: number | undefined;
  readonly version?: string | undefined;
}

/** Milliseconds between two refreshes. */
const interval = 10_000;

/** Shows how a pipeline is doing, again and again until interrupted; returns the exit code. */
export async function monitorPipeline(args: MonitorArguments, terminal: Terminal): Promise<number> {
  const { maxRefreshes: most = Number.POSITIVE_INFINITY, updateRequest } = args;
  if (!(most >= 1)) throw new UsageError("--max-refreshes must be at least 1.");
  const version = versionGiven(args.version);
  const { name, pipelines } = await openPipeline(args, terminal);
  const { out } = wrapping(terminal);
  for (let refresh = 1; ; refresh += 1) {
    const info = await pipelines.describe(name, version);
    out(`${new Date().toISOString()}\n${updateRequest ? requestText(info) : infoText(info)}`);
    const isDone = updateRequest ? info.request === null : isOver(info);
    if (isDone || refresh >= most) return info.error === null ? exitCodes.clean : exitCodes.diagnostics;
    await pause(interval, terminal.signal);
    if (terminal.signal.aborted) return exitCodes.interrupted;
  }
}

function requestText({ name, request }: PipelineInfo): string {
  if (request === null) return `Nothing is under way for ${visible(name)}.\n`;
  return `${visible(request.kind)} of ${visible(name)} is under way, since ${request.since}\n`;
}

/** Whether nothing more happens until the user changes the pipeline. */
function isOver({ runtime_status: runtime, request }: PipelineInfo): boolean {
  return request === null && (runtime === "TERMINATED" || runtime === "COMPLETED");
}
