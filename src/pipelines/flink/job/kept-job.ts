import { isRecord } from "../../../base/text/json-value.js";

/** The saved state of a pipeline's job, from which it continues. */
export interface KeptJob {
  /** A digest of what the job computes and writes. A savepoint with another digest does not fit. */
  readonly digest: string;
  /** The places that the pipeline has written, such as tables: only these may contain rows at the start. */
  readonly targets: readonly string[];
  /** Where the last savepoint is; `undefined` before the first one. */
  readonly savepoint: string | undefined;
  /**
   * Whether a job of the pipeline has lost its state, so that its places may contain obsolete rows. It stays set
   * until a job starts over on purpose.
   */
  readonly hasLostState?: true;
  /** Whether a job was started that has neither been paused nor finished. If Flink does not have it, its state is lost. */
  readonly isRunning?: true;
}

/** A saved job, from JSON; `undefined` if it is not valid. */
export function readKeptJob(found: unknown): KeptJob | undefined {
  const { digest, targets, savepoint, hasLostState, isRunning } = isRecord(found) ? found : {};
  const isText = (value: unknown): value is string => typeof value === "string";
  return isText(digest) &&
    Array.isArray(targets) &&
    targets.every(isText) &&
    (savepoint === undefined || isText(savepoint)) &&
    (hasLostState === undefined || hasLostState === true) &&
    (isRunning === undefined || isRunning === true)
    ? { digest, targets, savepoint, ...(hasLostState && { hasLostState }), ...(isRunning && { isRunning }) }
    : undefined;
}

/** Keeps a job durably. Only one process at a time has it open. */
export interface KeptJobStore {
  readonly kept: KeptJob | undefined;
  keep(job: KeptJob): Promise<void>;
  close(): void;
}
