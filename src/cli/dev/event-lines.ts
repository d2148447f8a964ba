import { visible } from "../../base/text/visible.js";
import type { Compilation } from "../../compiler/compilation.js";
import { renderText } from "../../compiler/diagnostics/render-text.js";
import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import { deploymentFailure } from "../deploy/deployment-failure.js";
import { progressLine, type Work } from "../terminal/progress.js";
import type { DevEvent, DevStatus } from "./dev-subgraph.js";

/**
 * The complete lines that report an event.
 * @param origins positions of the configuration's expressions in the build of the event
 */
export function eventLines(
  chain: string,
  event: DevEvent,
  origins: Compilation["origins"],
  color: boolean,
): string {
  const name = visible(chain);
  if (event.kind === "failed") {
    const { block, isRetried } = event.error;
    const what = `${event.answers ? "" : "the change "}${isRetried ? "failed" : "stopped"}`;
    const rest = event.answers ? "" : "the previous build keeps answering\n";
    const next = isRetried ? " and is retried" : "";
    return `${name}: ${what}${atBlock(block)}${next}\n${explained(name, event.error, origins, color)}\n${rest}`;
  }
  return `${name}: ${wordsOf(event)}\n`;
}

function wordsOf(event: Exclude<DevEvent, { kind: "failed" }>): string {
  if (event.kind === "waiting") {
    return `${event.answers ? "waiting" : "the change is waiting"}: ${visible(event.why)}`;
  }
  if (event.kind === "synced") return `synced at block ${event.block}`;
  if (event.kind === "switched") return `the change has caught up${atBlock(event.block)} and answers now`;
  if (event.kind === "unchanged") return "the build is unchanged";
  return event.isFirst ? "catching up" : "the change is catching up; the previous build answers until it has";
}

function atBlock(block: number | undefined): string {
  return block === undefined ? "" : ` at block ${block}`;
}

/** Explains a failure in terms of the configuration, as far as possible. */
function explained(
  chain: string,
  { message, handler }: HostedError,
  origins: Compilation["origins"],
  color: boolean,
): string {
  const failed = { fatalError: message, ...(handler !== undefined && { failedHandler: handler }) };
  const diagnostic = deploymentFailure(chain, failed, origins);
  return diagnostic ? renderText([diagnostic], { color }) : visible(message);
}

/** A build of a chain: the one that answers, or the one of a change. */
export type WhichBuild = keyof DevStatus;

/** The progress of all chains, on one line. @param workOf the progress of a build that catches up */
export function statusText(
  chains: readonly (readonly [string, { readonly status: DevStatus | undefined }])[],
  workOf: (chain: string, which: WhichBuild) => Work | undefined,
): string {
  return chains
    .flatMap(([chain, { status }]) => (status ? [chainText(chain, status, workOf)] : []))
    .join("; ");
}

function chainText(
  chain: string,
  { current, next }: DevStatus,
  workOf: (chain: string, which: WhichBuild) => Work | undefined,
): string {
  const change = next ? `; its change ${progressOf(next, workOf(chain, "next"))}` : "";
  return `${visible(chain)} ${progressOf(current, workOf(chain, "current"))}${change}`;
}

function progressOf(status: HostedStatus | undefined, work: Work | undefined): string {
  if (!status) return "starting";
  const { headBlock, chainHeadBlock, handlersPerSecond, fatalError } = status;
  const of = chainHeadBlock === undefined ? "" : ` of ${chainHeadBlock}`;
  const place = headBlock === undefined ? "starting" : `block ${headBlock}${of}`;
  if (fatalError) return fatalError.isRetried ? `retrying after ${place}` : `stopped at ${place}`;
  const parts = [place, ...(handlersPerSecond === undefined ? [] : [`${Math.round(handlersPerSecond)}/s`])];
  return work ? progressLine(work, parts) : parts.join(" | ");
}
