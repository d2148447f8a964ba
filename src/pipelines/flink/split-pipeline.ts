import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { PipelinePlan, PlannedSink, PlannedSource, PlannedTransform } from "../plan/pipeline-plan.js";
import { checkFlinkSink } from "./check-sink.js";
import type { IntegerForm } from "./column-types.js";
import { PrintFault } from "./print/print-fault.js";
import { printQuery } from "./print/print-query.js";

/** A node whose rows our runner writes into a topic, for Flink to read. */
export interface FlinkTopic {
  readonly node: PlannedSource | PlannedTransform;
  /** Whether it has only rows of final blocks. */
  readonly isFinal: boolean;
  readonly topic: string;
}

/** A query that Flink runs. */
export interface FlinkView extends PlannedTransform {
  /** Prints it in Flink's SQL. @throws PrintFault */
  print(integers: IntegerForm): string;
}

/** A pipeline in two parts: what our runner does, and what Flink does. */
export interface FlinkPipeline {
  readonly plan: PipelinePlan;
  readonly topics: readonly FlinkTopic[];
  /** Queries that Flink runs, in order of their dependencies. */
  readonly views: readonly FlinkView[];
  /** Sinks that Flink writes. */
  readonly sinks: readonly PlannedSink[];
  /** Sinks whose rows our runner computes and writes as usual. */
  readonly own: readonly PlannedSink[];
}

/**
 * Divides a pipeline. Flink runs the queries, except queries with our own functions and queries that scripts
 * and handlers read, which run before the topics.
 * @param plan may have queries of any kind
 * @param integers Flink's type for integers of 256 bits
 * @returns `undefined` after a reported error
 */
export function splitPipeline(
  plan: PipelinePlan,
  integers: IntegerForm,
  report: Report,
): FlinkPipeline | undefined {
  const own = ownNodes(plan, report);
  const views = plan.transforms.filter(({ name }) => !own.has(name)).map((node) => viewOf(node, plan));
  const [flinkSinks, ownSinks] = [
    plan.sinks.filter(({ from }) => !own.has(from)),
    plan.sinks.filter(({ from }) => own.has(from)),
  ];
  for (const sink of flinkSinks) checkFlinkSink(sink, report);
  if (!report.failed && flinkSinks.length === 0)
    report.error("flink-cannot", plan.sinks[0]?.definition.name.at, "no query is left for Flink to run", {
      hint: "run the pipeline without --engine",
    });
  for (const { name, definition } of [...plan.sources, ...views])
    if (name.includes("."))
      report.error(
        "flink-cannot",
        definition.name.at,
        `Flink would take the dot in ${quote(name)} for that of a database`,
        {
          hint: "choose a name without a dot",
        },
      );
  if (!report.failed) for (const view of views) checkView(view, { plan, integers }, report);
  const topics = topicsOf(plan, { own, views, flinkSinks }, report);
  return report.failed ? undefined : { plan, topics, views, sinks: flinkSinks, own: ownSinks };
}

/** A query as Flink gets it. */
function viewOf(node: PlannedTransform, { sources, transforms }: PipelinePlan): FlinkView {
  const read = [...sources, ...transforms].filter(({ name }) => node.reads.includes(name));
  const tables = new Map(
    read.map(({ name, schema: { columns } }) => [name.toLowerCase(), { name, columns }]),
  );
  const { columns } = node.schema;
  return { ...node, print: (integers) => printQuery(node.query?.tree, tables, integers, columns) };
}

/** Reports a query that has no form in Flink's SQL. */
function checkView(
  { definition, print, joins = [], lookups: tables = [] }: FlinkView,
  { plan: { lookups = [] }, integers }: { readonly plan: PipelinePlan; readonly integers: IntegerForm },
  report: Report,
): void {
  for (const name of [...joins, ...tables])
    report.error("flink-cannot", definition.name.at, `Flink cannot read the lookup ${quote(name)}`, {
      hint: lookups.some((one) => one.name === name && one.rows)
        ? "write its rows into the query: LEFT JOIN (VALUES (…), …) AS t(key, value) ON t.key = <column>"
        : "run the pipeline without --engine",
    });
  if (joins.length + tables.length > 0) return;
  try {
    print(integers);
  } catch (error) {
    if (!(error instanceof PrintFault)) throw error;
    const { message, hint, offset } = error;
    const text = definition.type === "sql" ? definition.settings.sql : undefined;
    const at = text && offset >= 0 ? characterPlace(text, offset) : definition.name.at;
    report.error("flink-cannot", at, message, { hint });
  }
}

/** @param offset in bytes */
function characterPlace(text: LocatedString, offset: number): Location {
  const start = Buffer.from(text.value).subarray(0, offset).toString().length;
  return text.part(start, Math.min(text.value.length, start + 1));
}

/** Names of the nodes that our runner computes. */
function ownNodes({ sources, transforms }: PipelinePlan, report: Report): ReadonlySet<string> {
  const own = new Set(sources.map(({ name }) => name));
  const byName = new Map(transforms.map((node) => [node.name, node]));
  /** @param root what must run before Flink, together with everything that it reads */
  const take = (node: PlannedTransform, root: PlannedTransform): void => {
    if (own.has(node.name)) return;
    const { stateful } = node.query ?? {};
    if (stateful !== undefined) {
      const { message, hint } = needOf(root);
      const what = node === root ? "all rows of what it reads" : `what Flink computes as ${quote(node.name)}`;
      const why = `${message} ${what}: ${stateful}`;
      report.error("flink-cannot", root.definition.name.at, why, { hint });
      return;
    }
    own.add(node.name);
    for (const read of node.reads) {
      const before = byName.get(read);
      if (before) take(before, root);
    }
  };
  for (const node of transforms)
    if (node.definition.type !== "sql" || node.query?.functions.length) take(node, node);
  return own;
}

/** Why a transform has to run before Flink, as the beginning of a sentence. */
function needOf({ name, definition: { type }, query }: PlannedTransform): {
  readonly message: string;
  readonly hint: string;
} {
  const [called] = query?.functions ?? [];
  if (called === undefined)
    return {
      message: `a ${type} runs before Flink, so ${quote(name)} cannot read`,
      hint: `let ${quote(name)} read a source, and let Flink's queries read ${quote(name)}`,
    };
  return {
    message: `${called}() is computed before Flink, so ${quote(name)} cannot use`,
    hint: `call ${called}() in a query of its own that reads a source, and let Flink's queries read that`,
  };
}

/** The topics that Flink reads, for sinks of final rows and for others. */
function topicsOf(
  plan: PipelinePlan,
  parts: {
    readonly own: ReadonlySet<string>;
    readonly views: readonly PlannedTransform[];
    readonly flinkSinks: readonly PlannedSink[];
  },
  report: Report,
): readonly FlinkTopic[] {
  const nodes = [...plan.sources, ...plan.transforms];
  const topics: FlinkTopic[] = [];
  for (const isFinal of [false, true]) {
    const needed = nodesBehind(
      parts.flinkSinks.filter((sink) => isFinalOnly(sink) === isFinal),
      parts.views,
    );
    for (const node of nodes)
      if (parts.own.has(node.name) && needed.has(node.name))
        topics.push({ node, isFinal, topic: topicName(plan.name, node.name, isFinal) });
  }
  const names = topics.map(({ topic }) => topic);
  for (const [index, { node, topic }] of topics.entries())
    if (names.indexOf(topic) < index || topic.length > longestTopic)
      report.error(
        "flink-cannot",
        node.definition.name.at,
        `${quote(node.name)} is not a name for a topic of its own`,
        {
          hint: "choose a shorter name of letters, digits and _",
        },
      );
  return topics;
}

/** The most characters that Kafka accepts. */
const longestTopic = 230;

function topicName(flow: string, node: string, isFinal: boolean): string {
  return `${topicPrefix(flow)}${node.replaceAll(/[^\w.-]/g, "-")}${isFinal ? ".final" : ""}`;
}

/**
 * The beginning of the names of a pipeline's topics. On a server, the pipeline's name contains a slash, which topics
 * must not.
 */
export function topicPrefix(flow: string): string {
  return `${flow.replaceAll("/", ".")}.`;
}

/** Whether a sink accepts only rows of final blocks. */
export function isFinalOnly({ definition }: PlannedSink): boolean {
  return definition.settings.finalized?.value === true;
}

/** Names of the nodes that lead to sinks. */
export function nodesBehind(
  sinks: readonly PlannedSink[],
  views: readonly PlannedTransform[],
): ReadonlySet<string> {
  const needed = new Set(sinks.map(({ from }) => from));
  for (const view of views.toReversed())
    if (needed.has(view.name)) for (const read of view.reads) needed.add(read);
  return needed;
}
