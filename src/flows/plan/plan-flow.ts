import type { Report } from "../../compiler/diagnostics/report.js";
import type { FlowDefinition } from "../definition/definition.js";
import type { SqlEngine } from "../sql/engine.js";
import type { FlowPlan, PlannedSource, PlannedTransform } from "./flow-plan.js";
import { orderTransforms } from "./order-transforms.js";
import { planSinks } from "./plan-sink.js";
import { planSource } from "./plan-source.js";
import { planTransform } from "./plan-transform.js";
import { QueryReader } from "./query-reader.js";

/**
 * Holds the parts of a definition against each other, and reports all mistakes.
 * @param engine an empty database in which the queries are tried
 * @returns `undefined` after a reported error
 */
export async function planFlow(
  definition: FlowDefinition,
  engine: SqlEngine,
  report: Report,
): Promise<FlowPlan | undefined> {
  const reader = new QueryReader(engine, await engine.functions(), report);
  const order = await orderTransforms(definition, reader, report);
  const sources: PlannedSource[] = [];
  for (const source of definition.sources) {
    const planned = await planSource(source, reader, report);
    if (planned) sources.push(planned);
  }
  const transforms: PlannedTransform[] = [];
  for (const read of order) {
    const planned = await planTransform(read, [...sources, ...transforms], reader, report);
    if (planned) transforms.push(planned);
  }
  const sinks = planSinks(definition, [...sources, ...transforms], report);
  if (report.failed) return undefined;
  const { operations, functions } = reader;
  return {
    name: definition.name.value,
    job: definition.job,
    sources,
    transforms,
    sinks,
    operations,
    functions,
  };
}
