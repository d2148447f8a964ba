import { locatedString } from "../../compiler/source/located-string.js";
import type { LocatedString, Location } from "../../compiler/source/source.js";
import type { IntegerLimit, PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { allNodes, textIn } from "../sql/syntax-tree.js";
import { type IntegerForm, widestDigits } from "./column-types.js";
import type { FlinkPipeline, FlinkTopic, FlinkView } from "./split-pipeline.js";

/** The name with which the sinks of topics request their cluster. No user's secret can have this name. */
export const topicSecret = "(topics)";

/**
 * The part of a pipeline that our runner does: topics for Flink, and the sinks that Flink does not feed.
 * @param integers Flink's type for integers of 256 bits: a number that is too large would stop its job forever
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

/** Settings of topics: they keep everything, so that a job can start over. */
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

/**
 * Whether a query may read a column of a table. It may if it mentions the column's name or `*`, unless of another
 * table, or if it renames the columns of the table.
 * @param tree as DuckDB serializes it
 */
function mayRead(tree: unknown, table: string, column: string): boolean {
  const nodes = [...allNodes(tree)];
  const uses = nodes.filter(
    (node) => node.type === "BASE_TABLE" && equalsIgnoringCase(textIn(node, "table_name"), table),
  );
  const names = [table, ...uses.map((use) => textIn(use, "alias"))];
  const isTable = (name: string): boolean => names.some((one) => equalsIgnoringCase(one, name));
  const isColumn = (name: string): boolean => equalsIgnoringCase(name, column);
  return (
    uses.some((use) => textsIn(use.column_name_alias).length > 0) ||
    nodes.some((node) => {
      const of = textIn(node, "relation_name");
      if (node.class === "STAR") return of === "" || isTable(of);
      if (textsIn(node.using_columns).some(isColumn)) return true;
      const [first = "", ...others] = textsIn(node.column_names);
      // `amount`, `transfers.amount`, or a part of a column: `amount.part`.
      return isColumn(first) || (others.some(isColumn) && [first, ...others].some(isTable));
    })
  );
}

function textsIn(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.map(String) : [];
}

/** Whether names are the same, as DuckDB compares them. */
function equalsIgnoringCase(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
