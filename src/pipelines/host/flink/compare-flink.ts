import type { SinkChange } from "../../../base/sink-change.js";
import { isFlinkSink } from "../../flink/check-sink.js";
import type { IntegerForm } from "../../flink/column-types.js";
import { digestOf } from "../../flink/flink-statements.js";
import type { KeptJob } from "../../flink/job/kept-job.js";
import { targetOf } from "../../flink/prepare-places.js";
import type { FlinkPipeline } from "../../flink/split-pipeline.js";

const anew = "Flink computes something else, so that its job starts over, at the beginning of the topics";

/**
 * What happens to the sinks that Flink writes when a definition is applied.
 * @param kept the saved state of the pipeline's job
 */
export function compareFlinkSinks(
  flow: FlinkPipeline,
  integers: IntegerForm,
  kept: KeptJob | undefined,
): readonly SinkChange[] {
  const isSame = kept?.digest === digestOf(flow, integers);
  return flow.sinks.filter(isFlinkSink).map((sink): SinkChange => {
    const isWritten = kept?.targets.includes(targetOf(sink)) ?? false;
    const change = isSame ? "same" : isWritten ? "continues" : "new";
    return {
      sink: sink.name,
      type: sink.definition.type,
      change,
      reasons: change === "continues" ? [anew] : [],
      reset: null,
      recreate: null,
      otherwise:
        change === "continues" ? "Flink deletes no rows of other queries: write to another table" : null,
    };
  });
}
