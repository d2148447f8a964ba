import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import { nodesBefore } from "./nodes-before.js";
import type { PipelinePlan, PlannedSink, PlannedSource } from "./pipeline-plan.js";

/**
 * Marks the sinks of a job that depend on a query which needs all rows at once. The rows must become complete, and
 * must not be undone: reports sources that do not end, and other nodes that cannot be computed once.
 */
export function planWhole(
  sinks: readonly PlannedSink[],
  { sources, transforms, tables = [] }: Pick<PipelinePlan, "sources" | "transforms" | "tables">,
  report: Report,
): readonly PlannedSink[] {
  const filled = new Set(tables.flatMap(({ name, fill }) => (fill ? [name] : [])));
  const reported = new Set<string>();
  return sinks.map((sink) => {
    const before = nodesBefore(sink.from, { transforms });
    const stateful = transforms.find(({ name, query }) => before.has(name) && query?.stateful !== undefined);
    if (!stateful) return sink;
    const refuse = (message: string, hint: string): void => {
      if (!reported.has(stateful.name + message))
        report.error("sql-not-streaming", stateful.definition.name.at, message, { hint });
      reported.add(stateful.name + message);
    };
    const why = stateful.query?.stateful ?? "";
    const endless = sources.find((source) => before.has(source.name) && !ends(source));
    if (endless?.definition.type === "kafka")
      refuse(
        `${why}, and a topic has no order of all its messages`,
        "write the messages to a table, and aggregate there",
      );
    else if (endless)
      refuse(`${why}, and source ${quote(endless.name)} has no last block`, "write end_block in the source");
    const looking = [...sources, ...transforms].find(
      ({ name, lookups = [] }) => before.has(name) && lookups.some((table) => filled.has(table)),
    );
    if (looking)
      refuse(
        `${why}, so ${quote(looking.name)} cannot look up in a table that is filled meanwhile`,
        "join with the rows instead",
      );
    return { ...sink, isWhole: true };
  });
}

/** Whether a source has a last block. Entities have no last change. */
function ends({ definition }: PlannedSource): boolean {
  return definition.type === "dataset" && definition.settings.end_block !== undefined;
}
