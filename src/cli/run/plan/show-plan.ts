import { visible } from "../../../base/text/visible.js";
import type { Basis, Estimate, LoadEstimate } from "../../../runtime/indexer/estimate-requests.js";
import { count } from "../../terminal/count.js";
import { size } from "../../terminal/size.js";
import { aligned, duration } from "../figures.js";
import type { ChainPlan, CountedLogs } from "./plan-chain.js";

/** The plan of a chain of the configuration. */
export interface NamedPlan {
  readonly chain: string;
  readonly plan: ChainPlan;
  /** Whether an archive is given. */
  readonly hasArchive: boolean;
}

/** Plans as one JSON document. */
export function planDocument(plans: readonly NamedPlan[]): string {
  const document = plans.map((plan) => [plan.chain, documentOf(plan)] as const);
  return `${JSON.stringify(Object.fromEntries(document), null, 2)}\n`;
}

function documentOf({ plan, hasArchive }: NamedPlan): unknown {
  if (plan.kind === "none") return { error: plan.why };
  const { from, fromSource, to, toSource, logs, samples, load, notes } = plan;
  const { archive, methods, ...figures } = load;
  const shown = Object.entries({ ...figures, ...(hasArchive && { archive }) });
  return {
    from,
    fromSource,
    to,
    toSource,
    blocks: to - from + 1,
    logs: { estimate: logs.estimate, counted: logs.found, ranges: logs.ranges, blocks: logs.blocks },
    samples: samples.map(({ from: first, blocks, work, seconds }) => ({
      from: first,
      blocks,
      logs: work.logs,
      seconds,
    })),
    methods: methods.map(({ method, calls, bytes }) => ({
      method,
      calls: figureOf(calls),
      bytes: figureOf(bytes),
    })),
    ...Object.fromEntries(shown.map(([name, figure]) => [name, figureOf(figure)])),
    notes,
  };
}

function figureOf({ estimate, least, most, from }: Estimate): unknown {
  return { estimate, least, most, source: sourceOf(from) };
}

/** Plans as tables, one for each chain that can be planned. */
export function planText(plans: readonly NamedPlan[]): string {
  return plans
    .flatMap(({ chain, plan, hasArchive }) =>
      plan.kind === "plan" ? [textOf(visible(chain), plan, hasArchive)] : [],
    )
    .join("\n");
}

/** Why chains cannot be planned, a line for each. */
export function noPlanText(plans: readonly NamedPlan[]): string {
  return plans
    .map(({ chain, plan }) =>
      plan.kind === "none" ? `${visible(chain)}: no plan: ${visible(plan.why)}\n` : "",
    )
    .join("");
}

function textOf(chain: string, plan: ChainPlan & { kind: "plan" }, hasArchive: boolean): string {
  const { from, fromSource, to, toSource, samples, load, notes } = plan;
  const blocks = to - from + 1;
  const sampled = samples.reduce((sum, sample) => sum + sample.blocks, 0);
  const basis =
    sampled === blocks
      ? "all of them, indexed"
      : `${count(samples.length, "range")} with ${count(sampled, "block")}, indexed`;
  return [
    `${chain}: blocks ${from}-${to}, ${count(blocks, "block")}; the first from ${nameOf[fromSource]}, the last from ${nameOf[toSource]}`,
    `  samples: ${basis}`,
    `  ${logsText(plan.logs, blocks)}`,
    ...aligned([
      ["METHOD", "CALLS", "LEAST-MOST", "ANSWERS", "LEAST-MOST", "SOURCE"],
      ...load.methods.map(({ method, calls, bytes }) => requestRow(visible(method), calls, bytes)),
      requestRow("total", load.calls, load.bytes),
    ]),
    "",
    ...aligned([
      ["FIGURE", "ESTIMATE", "LEAST-MOST", "SOURCE"],
      figureRow("triggers", load.triggers, String),
      figureRow("entity versions", load.versions, String),
      figureRow("time", load.seconds, duration),
      figureRow("database", load.database, size),
      ...(hasArchive ? [figureRow("archive", load.archive, size)] : []),
    ]),
    ...notes.map((note) => `  note: ${visible(note)}`),
    "",
  ].join("\n");
}

const nameOf = {
  configuration: "the configuration",
  option: "the command line",
  "chain head": "the chain head",
  database: "the database",
} as const;

function logsText({ estimate, ranges, blocks: counted }: CountedLogs, blocks: number): string {
  if (counted >= blocks) return `logs: ${estimate}, counted in all blocks`;
  return `logs: about ${estimate}, counted in ${count(ranges, "range")} with ${count(counted, "block")}`;
}

function requestRow(name: string, calls: Estimate, bytes: Estimate): readonly string[] {
  return [
    name,
    `${calls.estimate}`,
    `${calls.least}-${calls.most}`,
    size(bytes.estimate),
    `${size(bytes.least)} - ${size(bytes.most)}`,
    name === "total" ? "the sum" : sourceOf(calls.from),
  ];
}

function figureRow(name: string, figure: Estimate, text: (number: number) => string): readonly string[] {
  const { estimate, least, most, from } = figure;
  return [name, text(estimate), `${text(least)} - ${text(most)}`, sourceOf(from)];
}

/** Where a figure comes from: `once per run`, `samples, per log and per stretch`. */
export function sourceOf(from: LoadEstimate["calls"]["from"]): string {
  if (from.includes("whole")) return "measured";
  const grows = from.filter((basis) => basis !== "run").map((basis) => growth[basis]);
  const sampled = grows.length > 0 ? `samples, ${grows.join(" and ")}` : "";
  if (!from.includes("run")) return sampled === "" ? "samples: none" : sampled;
  return sampled === "" ? "once per run" : `${sampled}; once per run`;
}

const growth: Readonly<Record<Exclude<Basis, "run">, string>> = {
  whole: "",
  blocks: "per block",
  logs: "per log",
  demanded: "per block run",
  stretches: "per request for logs",
  taken: "per block run",
};
