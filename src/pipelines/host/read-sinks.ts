import type { SinkChange } from "../../base/sink-change.js";
import type { Database } from "../../store/database/database.js";
import type { PipelinePlan } from "../plan/pipeline-plan.js";
import type { AuditedWorld } from "../sinks/audit.js";
import { takeSnapshot } from "../snapshots/take-snapshot.js";
import { compareSinks } from "./begin-pipeline.js";
import { compareFlinkSinks } from "./flink/compare-flink.js";
import { splitAgain } from "./flink/run-served-flink.js";
import { savepointSnapshot } from "./flink/savepoints.js";
import type { OtherEngine } from "./pipeline-engine.js";
import { readDatabaseJob } from "./state/kept-jobs.js";

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
  const own = await takeSnapshot({ ...plan, sinks: splitAgain(plan).own }, world);
  return savepointSnapshot(own, await readDatabaseJob(database, plan.name));
}

/** What happens to each sink of a pipeline when its definition is applied. @throws PipelineError */
export async function sinkChanges(pipeline: ReadPipeline): Promise<readonly SinkChange[]> {
  const { plan, engine, world, database } = pipeline;
  if (!engine) return compareSinks(plan, world);
  const flow = splitAgain(plan);
  return [
    ...(await compareSinks({ ...plan, sinks: flow.own }, world)),
    ...compareFlinkSinks(flow, engine.integers, await readDatabaseJob(database, plan.name)),
  ];
}
