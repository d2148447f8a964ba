import type { IntegerForm } from "../../flink/column-types.js";
import { flinkStatements, placeholderOptions, statementsFile } from "../../flink/flink-statements.js";
import { jobName } from "../../flink/job/flink-job.js";
import type { FlinkPipeline } from "../../flink/split-pipeline.js";

/**
 * The statements of a pipeline for a cluster that graphloom does not drive, with placeholders such as `${DB.password}` where
 * secrets belong.
 */
export function exportToFlink(flow: FlinkPipeline, integers: IntegerForm): string {
  const { name, job } = flow.plan;
  const statements = flinkStatements(
    flow,
    placeholderOptions({ integers, jobName: jobName(name), isBounded: job }),
  );
  return statementsFile(statements, headOf(flow, integers));
}

function headOf({ plan, topics, own }: FlinkPipeline, integers: IntegerForm): readonly string[] {
  const written = topics.map(
    ({ topic, node, isFinal }) => `  ${topic}: ${node.name}${isFinal ? ", final rows only" : ""}`,
  );
  return [
    `Pipeline ${plan.name} for Flink's SQL client. Put values where \${…} stands.`,
    `Integers of 256 bits are ${integers === "decimal" ? "DECIMAL(38, 0); a larger one is an error" : "STRING, which holds all of them"}.`,
    "Topics that graphloom writes:",
    ...written,
    ...(own.length > 0 ? [`Sinks that graphloom writes: ${own.map(({ name }) => name).join(", ")}`] : []),
  ];
}
