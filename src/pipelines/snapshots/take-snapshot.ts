import { placesOf } from "../changes/source-parts.js";
import type { PipelinePlan, PlannedSink } from "../plan/pipeline-plan.js";
import { sourcesOf } from "../runner/program.js";
import type { AuditedWorld, SourceStates } from "../sinks/audit.js";
import { auditorOf } from "../sinks/open-sink.js";
import {
  type PipelineSnapshot,
  type SinkSnapshot,
  type SourceSnapshot,
  snapshotFormat,
  sourceSnapshot,
} from "./pipeline-snapshot.js";

/**
 * The current state of all sinks of a pipeline, running or not. Does not write. Reads each sink in one step, so that
 * its positions are from one moment.
 * @throws SinkError
 */
export async function takeSnapshot(plan: PipelinePlan, world: AuditedWorld): Promise<PipelineSnapshot> {
  const sinks: [string, SinkSnapshot][] = [];
  for (const sink of plan.sinks) {
    const states = await statesOf(plan, sink, world);
    if (!states) continue;
    const sources = sourcesOf(plan, sink).flatMap((source): [string, SourceSnapshot][] => {
      return placesOf(source.name, states.keys()).flatMap((place): [string, SourceSnapshot][] => {
        const state = states.get(place);
        return state ? [[place, sourceSnapshot(source, state)]] : [];
      });
    });
    const { type } = sink.definition;
    sinks.push([sink.name, { type, sources: Object.fromEntries(sources) }]);
  }
  return { format: snapshotFormat, sinks: Object.fromEntries(sinks) };
}

/**
 * A sink's state; `undefined` if it keeps none.
 * @throws SinkError
 */
export async function statesOf(
  plan: PipelinePlan,
  sink: PlannedSink,
  world: AuditedWorld,
): Promise<SourceStates | undefined> {
  const audit = await auditorOf(sink.definition.type);
  const sources = sourcesOf(plan, sink).map(({ name }) => name);
  const options = { mends: false, most: 0 };
  return audit?.(sink as never, { flow: plan.name, sources }, world, options, (opened) => opened.states());
}
