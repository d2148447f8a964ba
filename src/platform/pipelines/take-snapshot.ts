import type { PipelineEngine } from "../../pipelines/host/pipeline-engine.js";
import { isResourceSize } from "../../pipelines/host/resource-sizes.js";
import type { Sql } from "../../store/database/database.js";
import type { Platform } from "../platform.js";
import { findPipelineVersion, type PipelineName } from "./pipeline-rows.js";
import { hostOf, pipelineIdOf } from "./project-host.js";
import { addSnapshot, findSnapshot, type SnapshotCause, type SnapshotRow } from "./snapshot-rows.js";

export interface SnapshotTaker {
  readonly platform: Platform;
  readonly engine: Pick<PipelineEngine, "snapshot">;
}

/** What a user's request for a snapshot adds. */
export interface SnapshotRequest {
  /** Ends it. */
  readonly signal?: AbortSignal;
  /** Writes to the audit log, in the transaction of the snapshot. */
  note?(sql: Sql): Promise<void>;
}

/**
 * Takes a snapshot of a pipeline that runs or has run with a version of its definition.
 * @returns `undefined` if the pipeline is gone, or if Flink keeps running it, which writes a savepoint when it is
 * stopped
 * @throws Error if a sink cannot be read; DatabaseError
 */
export async function takeSnapshotOf(
  { platform, engine }: SnapshotTaker,
  named: PipelineName,
  version: number,
  cause: SnapshotCause,
  { signal, note }: SnapshotRequest = {},
): Promise<SnapshotRow | undefined> {
  const { database } = platform;
  const found = await findPipelineVersion(database, named, version);
  if (!found || !isResourceSize(found.size)) return undefined;
  const { definition: text, variables, abis, size, engine: other } = found;
  if (other && cause !== "pause" && cause !== "change") return undefined;
  const host = hostOf(platform, named.project);
  const definition = { text, variables, abis, engine: other };
  const order = { flow: pipelineIdOf(named), definition, size, host };
  const content = await engine.snapshot(order, signal);
  return database.transaction(async (sql) => {
    const id = await addSnapshot(sql, named, { version, cause, content });
    if (id === undefined) return undefined;
    await note?.(sql);
    return findSnapshot(sql, named, id);
  });
}
