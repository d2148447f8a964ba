import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import type { AuditedWorld } from "../sinks/audit.js";
import { sinkLineage } from "../sinks/lineage/sink-lineage.js";
import { auditorOf } from "../sinks/open-sink.js";
import type { KeptLineage } from "../state/lineage-guard.js";
import { SinkError } from "../state/sink-error.js";
import { changesSince, changesText } from "./guard-lineage.js";
import { sourcesOf } from "./program.js";

/**
 * What a sink has recorded about how its rows were computed. Does not write.
 * @throws SinkError
 */
export async function keptLineage(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditedWorld,
): Promise<KeptLineage> {
  const audit = await auditorOf(sink.definition.type);
  const sources = sourcesOf(plan, sink).map(({ name }) => name);
  const options = { mends: false, most: 0, anyColumns: true };
  const kept = await audit?.(sink as never, { flow: plan.name, sources }, world, options, (opened) =>
    opened.lineage(),
  );
  return kept ?? { text: undefined, isWritten: false };
}

/** @throws SinkError if the plan computes rows differently than the existing rows of a sink */
export async function checkLineage(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditedWorld,
): Promise<void> {
  const changes = changesSince(await keptLineage(plan, sink, world), sinkLineage(plan, sink));
  if (changes.length === 0) return;
  throw new SinkError(
    `${changesText(changes)}. Use the definition that they were computed by, or let the sink go on or start over with this one first.`,
    false,
  );
}
