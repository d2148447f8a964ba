import { isRecord } from "../../base/text/json-value.js";
import { type LedgerJson, ledgerJson } from "../changes/ledger.js";
import { PipelineError } from "../changes/pipeline-error.js";
import type { PlannedSource } from "../plan/pipeline-plan.js";
import type { SourceState } from "../sinks/audit.js";
import { settledBefore } from "../state/sink-batch.js";

/** The form of snapshots. It changes with every change that another version would misread. */
export const snapshotFormat = 1;

/** How far a source was written into a sink. */
export interface SourceSnapshot {
  /** What the source reads. */
  readonly reads: string;
  /** The next block, or the next change of a feed. */
  readonly next: number;
  /** The first block that could still be undone: the source returns to it. */
  readonly settled: number;
  /** The last entry of the ledger before `settled`; null if there is none. */
  readonly entry: LedgerJson | null;
}

/** The positions of a sink. */
export interface SinkSnapshot {
  readonly type: string;
  readonly sources: Readonly<Record<string, SourceSnapshot>>;
}

/** The positions of all sinks of a pipeline, as JSON, without sinks that keep no position. */
export interface PipelineSnapshot {
  readonly format: typeof snapshotFormat;
  readonly sinks: Readonly<Record<string, SinkSnapshot>>;
}

/** A snapshot that cannot be restored. Nothing was changed. */
export class SnapshotError extends PipelineError {
  override readonly name = "SnapshotError";

  /** @param message a sentence, and what to do */
  constructor(message: string) {
    super(message, false);
  }
}

/**
 * A snapshot from its JSON.
 * @throws SnapshotError for another format version
 */
export function readSnapshot(json: unknown): PipelineSnapshot {
  if (isRecord(json) && json.format === snapshotFormat && isRecord(json.sinks))
    return json as unknown as PipelineSnapshot;
  throw new SnapshotError(
    "The snapshot was taken by a version of graphloom that keeps snapshots in another form. Restore it with that version, or continue from last.",
  );
}

/** What a source reads. A position in one dataset means nothing in another. */
export function readsOf({ definition: { settings }, entity }: PlannedSource): string {
  if (entity)
    return JSON.stringify(["entity", ...entity.parts.map(({ build, table }) => [build, table.name])]);
  if ("topic" in settings) return JSON.stringify(["kafka", settings.topic?.value]);
  const dataset = "dataset_name" in settings ? settings.dataset_name?.value : undefined;
  const version = "version" in settings ? settings.version?.value : undefined;
  return JSON.stringify(["dataset", dataset, version]);
}

/** A sink's state about a source, for a snapshot. */
export function sourceSnapshot(source: PlannedSource, { position, ledger }: SourceState): SourceSnapshot {
  const settled = settledBefore(position);
  const last = ledger.findLast(({ to }) => to < settled);
  return {
    reads: readsOf(source),
    next: position.next,
    settled,
    entry: last && "sum" in last ? ledgerJson(last) : null,
  };
}
