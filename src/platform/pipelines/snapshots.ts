import { messageOf } from "../../base/text/message-of.js";
import type { Sql } from "../../store/database/database.js";
import { type Doer, noteDeed } from "../people/doer.js";
import { isBusy, Problem } from "../problem.js";
import { findPipelineVersion, type PipelineName } from "./pipeline-rows.js";
import type { Pipelines } from "./pipelines.js";
import { requirePipeline } from "./require-pipeline.js";
import { findSnapshot, type SnapshotRow } from "./snapshot-rows.js";
import { takeSnapshotOf } from "./take-snapshot.js";

/**
 * Takes a snapshot of a pipeline on a user's request.
 * @param signal ends the work
 * @throws Problem `pipeline-not-found`, `unprocessable` if a sink cannot be read or if Flink runs it; DatabaseError
 */
export async function createSnapshot(
  pipelines: Pipelines,
  doer: Doer,
  name: string,
  signal: AbortSignal,
): Promise<SnapshotRow> {
  const { database } = pipelines.platform;
  const before = await requirePipeline(database, { project: doer.caller.project, name });
  if ((await findPipelineVersion(database, before, before.version))?.engine)
    throw new Problem(
      "unprocessable",
      `Flink runs "${name}", and writes a savepoint when it is stopped. Pause the pipeline to have one: it is listed among the snapshots.`,
    );
  const taken = await takeSnapshotOf(pipelines, before, before.version, "request", {
    signal,
    note: (sql) => noteDeed(sql, doer, "pipeline.snapshot", name),
  }).catch((error: unknown) => {
    if (isBusy(error)) throw error;
    const why = messageOf(error);
    throw new Problem("unprocessable", `No snapshot of "${name}" was taken: ${why}`, { cause: error });
  });
  if (!taken) throw new Problem("pipeline-not-found", `There is no pipeline "${name}".`);
  return taken;
}

/** @throws Problem `bad-request` if a pipeline has no such snapshot; DatabaseError */
export async function requireSnapshot(sql: Sql, named: PipelineName, id: string): Promise<void> {
  if (await findSnapshot(sql, named, id)) return;
  throw new Problem("bad-request", "There is no such snapshot.", {
    errors: [
      { field: "from_snapshot", message: "must be new, last, none, or the id of a snapshot of the pipeline" },
    ],
  });
}
