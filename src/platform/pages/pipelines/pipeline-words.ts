import type { SinkStatus } from "../../../pipelines/host/pipeline-engine.js";
import { type Html, html } from "../../http/html.js";
import type { PipelineRow } from "../../pipelines/pipeline-rows.js";

type Tone = "good" | "warn" | "bad" | "soft";

/** The change that a server is about to carry out. */
const underWay = {
  create: "starting",
  start: "starting",
  update: "updating",
  resize: "resizing",
  restart: "restarting",
} as const;

/** The most characters of an error in a line. The page of the pipeline shows all of them. */
const longestError = 300;

/** The address of the page of a pipeline or a stream. */
export function pipelinePageOf({ name }: { readonly name: string }): string {
  return `/pipelines/${encodeURIComponent(name)}`;
}

/** The state of a pipeline in a word, with a color. */
export function pipelineState(row: PipelineRow): Html {
  const [word, tone] = wordOf(row);
  return html`<span class="state ${tone}">${word}</span>`;
}

function wordOf({
  status,
  runtime,
  request,
  generation,
  seenGeneration,
}: PipelineRow): readonly [string, Tone] {
  const isSeen = seenGeneration === generation;
  if (status === "PAUSED") return [isSeen ? "paused" : "pausing", "soft"];
  if (status === "INACTIVE") return [isSeen ? "stopped" : "stopping", "soft"];
  if (!isSeen || runtime === "STARTING") return [request ? underWay[request] : "starting", "warn"];
  if (runtime === "TERMINATED") return ["failed", "bad"];
  if (runtime === "FAILING") return ["failing", "bad"];
  return [runtime === "COMPLETED" ? "completed" : "running", "good"];
}

/** Whether a pipeline has failed (0), is failing (1), or neither (2): the order of the list. */
export function urgencyOf(row: PipelineRow): 0 | 1 | 2 {
  const [word] = wordOf(row);
  return word === "failed" ? 0 : word === "failing" ? 1 : 2;
}

/** Why a pipeline or one of its sinks does not continue, in one line. */
export function lastError({ error, sinks }: PipelineRow): string | undefined {
  const [stalled] = Object.entries(sinks).filter(([, { why }]) => why !== undefined);
  const text = error ?? (stalled && `${stalled[0]}: ${stalled[1].why}`);
  return text !== undefined && text.length > longestError ? `${text.slice(0, longestError)}…` : text;
}

/** Rows that all sinks have written since the pipeline started. */
export function rowsOf({ sinks }: PipelineRow): number {
  return Object.values(sinks).reduce((sum, { rows }) => sum + rows, 0);
}

const sinkTones = {
  progressing: "good",
  idle: "good",
  ended: "good",
  stalled: "warn",
  halted: "bad",
} as const satisfies Readonly<Record<SinkStatus["state"], Tone>>;

/** The state of a sink in a word, with a color. */
export function sinkState(status: SinkStatus | undefined): Html {
  if (!status) return html`<span class="state soft">not started</span>`;
  return html`<span class="state ${sinkTones[status.state]}">${status.state}</span>`;
}

/** The last block that a sink has written; the lowest one if it has several sources. */
export function blockOf({ blocks }: SinkStatus): number | undefined {
  const all = Object.values(blocks);
  return all.length === 0 ? undefined : Math.min(...all);
}

/**
 * Blocks that a sink is behind the head of a chain; the most if it has several sources, and `undefined` if no
 * head is known.
 */
export function lagOf({ lag = {} }: SinkStatus): number | undefined {
  const all = Object.values(lag);
  return all.length === 0 ? undefined : Math.max(...all);
}
