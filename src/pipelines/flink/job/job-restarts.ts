import { isRecord, parseJson } from "../../../base/text/json-value.js";

/** How often Flink has started a job again, and how often it went on at a checkpoint or a savepoint. */
export interface JobRestarts {
  /** Without the first start. */
  readonly restarts: number;
  /** Includes the first start's restore, if it was at a savepoint. */
  readonly restores: number;
}

/** The path of the metric that counts the restarts of a job. */
export function restartsPath(job: string): string {
  return `/jobs/${encodeURIComponent(job)}/metrics?get=numRestarts`;
}

/** The path of a job manager's figures about a job's checkpoints. */
export function checkpointsPath(job: string): string {
  return `/jobs/${encodeURIComponent(job)}/checkpoints`;
}

/**
 * Reads both answers of a job manager.
 * @returns `undefined` if a number is missing in either
 */
export function restartsIn(metrics: Uint8Array, checkpoints: Uint8Array): JobRestarts | undefined {
  const listed = parseJson(Buffer.from(metrics).toString());
  const metric = Array.isArray(listed)
    ? listed.filter(isRecord).find(({ id }) => id === "numRestarts")
    : undefined;
  const answer = parseJson(Buffer.from(checkpoints).toString());
  const counts = isRecord(answer) && isRecord(answer.counts) ? answer.counts : undefined;
  // Metrics are texts.
  const restarts =
    typeof metric?.value === "string" && metric.value !== "" ? Number(metric.value) : undefined;
  const restores = counts?.restored;
  return isCount(restarts) && isCount(restores) ? { restarts, restores } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** How many checks must agree before the answer counts, since a job manager's answers are up to some seconds old. */
const looks = 3;

/**
 * Finds out whether Flink has restarted a job without its state, as it does before the first checkpoint. Such a job
 * does not know what it has written.
 */
export class RestartWatch {
  /** Restores that belong to the first start. */
  readonly #first: number;
  #restarts: number | undefined;
  #looks = 0;
  #unknown = 0;

  /** @param isAtSavepoint whether the job was first started at a savepoint */
  constructor(isAtSavepoint: boolean) {
    this.#first = isAtSavepoint ? 1 : 0;
  }

  /** The job is not running at the moment, so its counts do not belong together. */
  interrupted(): void {
    this.#looks = 0;
  }

  /**
   * The job runs. Call it every few seconds.
   * @param found `undefined` if the job manager does not say
   * @returns the answer so far: `undefined` until the answers can be trusted
   */
  seen(found: JobRestarts | undefined): "kept" | "lost" | "unknown" | undefined {
    if (!found) {
      this.#looks = 0;
      this.#unknown += 1;
      return this.#unknown < looks ? undefined : "unknown";
    }
    this.#unknown = 0;
    this.#looks = found.restarts === this.#restarts ? this.#looks + 1 : 1;
    this.#restarts = found.restarts;
    if (this.#looks < looks) return undefined;
    return found.restarts > found.restores - this.#first ? "lost" : "kept";
  }
}
