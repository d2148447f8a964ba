import type { Report } from "../../compiler/diagnostics/report.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import type { IntegerForm } from "./column-types.js";
import { flinkStatements, statementsFile } from "./flink-statements.js";
import { jobName } from "./job/flink-job.js";
import { placeholderOptions } from "./placeholders.js";
import { type FlinkPipeline, splitPipeline } from "./split-pipeline.js";

/**
 * The statements of a pipeline for a cluster that graphloom does not drive, with placeholders such as `${DB.password}` where
 * secrets belong.
 * @param plan may have queries of any kind
 * @returns `undefined` after a reported error
 */
export function exportToFlink(plan: PipelinePlan, integers: IntegerForm, report: Report): string | undefined {
  const flow = splitPipeline(plan, report);
  if (!flow) return undefined;
  const statements = flinkStatements(
    flow,
    placeholderOptions({ integers, jobName: jobName(plan.name), isBounded: plan.job }),
  );
  return statementsFile(statements, headOf(flow, integers));
}

function headOf({ plan, topics, own }: FlinkPipeline, integers: IntegerForm): readonly string[] {
  const written = topics.map(
    ({ topic, node, isFinal }) => `  ${topic}: ${node.name}${isFinal ? ", final rows only" : ""}`,
  );
  return [
    `Pipeline ${plan.name} for Flink's SQL client. Put values where \${…} stands.`,
    `Integers of 256 bits are ${integers === "decimal" ? "DECIMAL(38, 0); a larger one is an error" : "STRING"}.`,
    "Topics that graphloom writes:",
    ...written,
    ...(own.length > 0 ? [`Sinks that graphloom writes: ${own.map(({ name }) => name).join(", ")}`] : []),
  ];
}
