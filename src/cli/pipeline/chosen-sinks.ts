import { visible } from "../../base/text/visible.js";
import type { PipelinePlan, PlannedSink } from "../../pipelines/plan/pipeline-plan.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** The sink that `--sink` names, or all. @throws UsageError if there is none of the name */
export function chosenSinks({ sinks }: PipelinePlan, name: string | undefined): readonly PlannedSink[] {
  if (name === undefined) return sinks;
  const found = sinks.find((sink) => sink.name === name);
  if (found) return [found];
  throw new UsageError(
    `--sink: there is no sink ${visible(name)}. There are ${sinks.map((sink) => visible(sink.name)).join(", ")}.`,
  );
}
