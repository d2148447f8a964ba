import { locatedString } from "../../compiler/source/located-string.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { IntegerLimit, PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { type IntegerForm, widestDigits } from "./column-types.js";
import { mayRead } from "./read-columns.js";
import type { FlinkPipeline, FlinkTopic, FlinkView } from "./split-pipeline.js";

/** The name by which the sinks of topics ask for their cluster. No secret of a user is called like this. */
export const topicSecret = "(topics)";

/**
 * The part of a flow that our runner does: topics for Flink, and the sinks that Flink has nothing to do with.
 * @param integers what Flink makes of integers of 256 bits: a number that is too large would stop its job for ever
 */
export function topicPipeline(
  { plan, topics, views, own }: FlinkPipeline,
  integers: IntegerForm,
): PipelinePlan {
  const transforms = plan.transforms.filter(({ name }) => !views.some((view) => view.name === name));
  return {
    ...plan,
    transforms,
    sinks: [...topics.map((topic) => topicSink(topic, views, integers)), ...own],
  };
}

/** Settings of topics: they keep everything, so that a job can begin anew. */
export const topicSettings: ReadonlyMap<string, string> = new Map([
  ["cleanup.policy", "delete"],
  ["retention.ms", "-1"],
  ["retention.bytes", "-1"],
]);

const integerLimit: Omit<IntegerLimit, "columns"> = {
  digits: widestDigits,
  why: `Flink's numbers have at most ${widestDigits}`,
  advice: "Leave such rows out with a filter of the source, or run the pipeline with --integers string",
};

function topicSink(
  { node, isFinal, topic }: FlinkTopic,
  views: readonly FlinkView[],
  integers: IntegerForm,
): PlannedSink {
  const { at } = node.definition.name;
  const readers = views.filter(({ reads }) => reads.includes(node.name));
  // Flink does not convert columns that no query reads, so they may have integers of any size.
  const columns = node.schema.columns
    .map((column) => column.name)
    .filter((column) => readers.some(({ query }) => mayRead(query?.tree, node.name, column)));
  const name = `topic ${topic}`;
  return {
    name,
    from: node.name,
    schema: node.schema,
    ...(integers === "decimal" && { integerLimit: { ...integerLimit, columns } }),
    definition: {
      type: "kafka",
      name: textAt(name, at),
      settings: {
        from: textAt(node.name, at),
        topic: textAt(topic, at),
        deletions: textAt("tombstone", at),
        secret_name: textAt(topicSecret, at),
        finalized: { value: isFinal, at },
      },
    },
  };
}

function textAt(value: string, at: Location): LocatedString {
  return locatedString(value, at, at.start);
}
