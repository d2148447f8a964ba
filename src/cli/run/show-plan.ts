import { visible } from "../../base/visible.js";
import type { Estimate } from "../../runtime/indexer/estimate-requests.js";
import { padded, widthOf } from "../terminal/cells.js";
import { count } from "../terminal/count.js";
import { size } from "../terminal/size.js";
import type { ChainPlan } from "./plan-chain.js";

/** The plan of a chain of the configuration. */
export interface NamedPlan {
  readonly chain: string;
  readonly plan: ChainPlan;
}

/** Plans as one JSON document. */
export function planDocument(plans: readonly NamedPlan[]): string {
  const document = plans.map(({ chain, plan }) => [chain, documentOf(plan)] as const);
  return `${JSON.stringify(Object.fromEntries(document), null, 2)}\n`;
}

function documentOf(plan: ChainPlan): unknown {
  if (plan.kind === "none") return { error: plan.why };
  const { from, to, samples, load, notes } = plan;
  return {
    from,
    to,
    blocks: to - from + 1,
    samples: samples.map(({ from: first, blocks, logs, seconds }) => ({
      from: first,
      blocks,
      logs,
      seconds,
    })),
    ...load,
    notes,
  };
}

/** Plans as tables, one for each chain. */
export function planText(plans: readonly NamedPlan[]): string {
  return plans.map(({ chain, plan }) => textOf(visible(chain), plan)).join("\n");
}

function textOf(chain: string, plan: ChainPlan): string {
  if (plan.kind === "none") return `${chain}: no plan: ${visible(plan.why)}\n`;
  const { from, to, samples, load, notes } = plan;
  const blocks = to - from + 1;
  const sampled = samples.reduce((sum, sample) => sum + sample.blocks, 0);
  const basis =
    sampled === blocks
      ? "all of them read"
      : `${count(samples.length, "sample")} of ${count(sampled, "block")} read`;
  const rows = [
    ["METHOD", "CALLS", "LEAST-MOST", "ANSWERS", "LEAST-MOST"],
    ...load.methods.map(({ method, calls, bytes }) => rowOf(visible(method), calls, bytes)),
    rowOf("total", load.calls, load.bytes),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const lines = rows.map((row) =>
    row.map((cell, column) => padded(cell, widths[column] ?? 0, column === 0 ? "left" : "right")).join("  "),
  );
  const { estimate, least, most } = load.seconds;
  return [
    `${chain}: blocks ${from}-${to}, ${count(blocks, "block")}; ${basis}`,
    ...lines.map((line) => `  ${line}`),
    `  time: ${duration(estimate)} (${duration(least)} to ${duration(most)}), at the rate of the samples`,
    ...notes.map((note) => `  note: ${visible(note)}`),
    "",
  ].join("\n");
}

function rowOf(name: string, calls: Estimate, bytes: Estimate): readonly string[] {
  return [
    name,
    `${calls.estimate}`,
    `${calls.least}-${calls.most}`,
    size(bytes.estimate),
    `${size(bytes.least)} - ${size(bytes.most)}`,
  ];
}

/** `12 s`, `3 min`, `5.2 h` */
function duration(seconds: number): string {
  if (seconds < 100) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
