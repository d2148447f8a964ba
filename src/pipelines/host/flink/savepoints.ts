import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { PipelineError } from "../../changes/pipeline-error.js";
import type { IntegerForm } from "../../flink/column-types.js";
import { digestOf } from "../../flink/flink-statements.js";
import type { KeptJob } from "../../flink/job/kept-job.js";
import type { FlinkPipeline } from "../../flink/split-pipeline.js";
import { type PipelineSnapshot, SnapshotError } from "../../snapshots/pipeline-snapshot.js";

/** Where a job of Flink was, beside the positions of the sinks that our runner writes. */
export interface Savepoint {
  readonly digest: string;
  /** Its address, as Flink says it. */
  readonly place: string;
}

/** A snapshot of a pipeline that Flink runs, as JSON. @throws PipelineError if Flink has written no savepoint */
export function savepointSnapshot(own: PipelineSnapshot, kept: KeptJob | undefined): string {
  const { digest, savepoint: place } = kept ?? {};
  if (digest === undefined || place === undefined)
    throw new PipelineError(
      "Flink has written no savepoint of the pipeline. It does when the pipeline is paused.",
      false,
    );
  const savepoint: Savepoint = { digest, place };
  return JSON.stringify({ ...own, savepoint });
}

/**
 * The savepoint of a snapshot at which a pipeline's job can continue.
 * @param snapshot as JSON
 * @throws SnapshotError if there is none, or if Flink now computes something else
 */
export function savepointIn(snapshot: string, flow: FlinkPipeline, integers: IntegerForm): string {
  const content = parseJson(snapshot);
  const { digest, place } = isRecord(content) && isRecord(content.savepoint) ? content.savepoint : {};
  if (typeof place !== "string")
    throw new SnapshotError(
      "The snapshot was taken while graphloom ran the queries, so that Flink cannot go on there. Continue from last, or start over with none.",
    );
  if (digest === digestOf(flow, integers)) return place;
  throw new SnapshotError(
    "Flink now computes something else than at this savepoint. Restore the definition, continue from last, or start over with none.",
  );
}
