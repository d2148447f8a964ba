import type { SinkChange } from "../../base/sink-change.js";
import type { Database } from "../../store/database/database.js";
import { isFlinkSink } from "../flink/check-sink.js";
import type { IntegerForm } from "../flink/column-types.js";
import { digestOf } from "../flink/flink-statements.js";
import type { KeptJob } from "../flink/job/kept-job.js";
import { targetOf } from "../flink/prepare-places.js";
import type { FlinkPipeline } from "../flink/split-pipeline.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import type { AuditedWorld } from "../sinks/audit.js";
import { takeSnapshot } from "../snapshots/take-snapshot.js";
import { compareSinks } from "./begin-pipeline.js";
import { splitAgain } from "./flink/run-served-flink.js";
import { savepointSnapshot } from "./flink/savepoints.js";
import type { OtherEngine } from "./pipeline-engine.js";
import { readDatabaseJob } from "./state/kept-jobs.js";

const anew = "Flink computes something else, so that its job starts over, at the beginning of the topics";

/** A pipeline whose sinks are read, whether it runs or not. */
export interface ReadPipeline {
  /** With the name that the pipeline has on the server. */
  readonly plan: PipelinePlan;
  readonly engine: OtherEngine | undefined;
  readonly world: AuditedWorld;
  /** The server's. */
  readonly database: Database;
}

/** How far the sinks of a pipeline are, as JSON, with the last savepoint of Flink if that runs it. @throws PipelineError */
export async function snapshotText({ plan, engine, world, database }: ReadPipeline): Promise<string> {
  if (!engine) return JSON.stringify(await takeSnapshot(plan, world));
  const own = await takeSnapshot({ ...plan, sinks: splitAgain(plan, engine.integers).own }, world);
  return savepointSnapshot(own, await readDatabaseJob(database, plan.name));
}

/** What happens to each sink of a pipeline when its definition is applied. @throws PipelineError */
export async function sinkChanges(pipeline: ReadPipeline): Promise<readonly SinkChange[]> {
  const { plan, engine, world, database } = pipeline;
  if (!engine) return compareSinks(plan, world);
  const flow = splitAgain(plan, engine.integers);
  return [
    ...(await compareSinks({ ...plan, sinks: flow.own }, world)),
    ...compareFlinkSinks(flow, engine.integers, await readDatabaseJob(database, plan.name)),
  ];
}

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
