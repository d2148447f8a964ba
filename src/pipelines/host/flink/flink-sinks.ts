import { messageOf } from "../../../base/text/message-of.js";
import { keptText } from "../../../store/database/kept-text.js";
import type { JobState } from "../../flink/job/job-driver.js";
import { type JobFigures, metricName } from "../../flink/job/job-figures.js";
import { doubtText } from "../../flink/job/job-text.js";
import type { FlinkPipeline } from "../../flink/split-pipeline.js";
import type { SinkStatus } from "../pipeline-engine.js";

const unknown =
  "Flink's job manager does not say how many rows the job has written, or whether the job has lost its state";

/** How the sinks that Flink writes are doing, judged by their job. */
export class FlinkSinks {
  readonly #names: readonly string[];
  readonly #now: () => number;
  readonly #tell: (sink: string, status: SinkStatus) => void;
  readonly #rows = new Map<string, number>();
  #job: JobState = { kind: "unstarted" };
  #waiting: number | undefined;
  /** Whether the job manager has answered; `undefined` before it was asked. */
  #isKnown: boolean | undefined;
  /** Since when the job stalls, or has nothing to read. */
  #since: number | undefined;

  constructor({ sinks }: FlinkPipeline, now: () => number, tell: (sink: string, status: SinkStatus) => void) {
    this.#names = sinks.map(({ name }) => name);
    this.#now = now;
    this.#tell = tell;
  }

  /** The job has another state. */
  job(state: JobState): void {
    this.#since = undefined;
    this.#job = state;
    this.#tellAll();
  }

  /** The job cannot be started yet. */
  stalled(why: string): void {
    if (this.#job.kind !== "stalled") this.#since = undefined;
    this.#job = { kind: "stalled", why };
    this.#tellAll();
  }

  /** What the running job has done. */
  figures(figures: JobFigures | undefined): void {
    this.#isKnown = figures !== undefined;
    this.#waiting = figures?.waiting;
    for (const name of this.#names) {
      const rows = figures?.rows.get(metricName(name));
      if (rows !== undefined) this.#rows.set(name, rows);
    }
    if (this.#waiting !== 0) this.#since = undefined;
    this.#tellAll();
  }

  #tellAll(): void {
    for (const name of this.#names) {
      const status = this.#statusOf(name);
      if (status) this.#tell(name, status);
    }
  }

  #statusOf(name: string): SinkStatus | undefined {
    const known = { rows: this.#rows.get(name) ?? 0, blocks: {} };
    switch (this.#job.kind) {
      case "starting":
        return { state: "progressing", ...known, why: "Flink starts the job" };
      case "running":
        return { ...this.#running(known), ...(this.#job.doubt === "lost" && { why: doubtText.lost }) };
      case "stalled":
        this.#since ??= this.#now();
        return { state: "stalled", ...known, why: keptText(this.#job.why), since: this.#since };
      case "finished":
        return { state: "ended", ...known };
      case "halted": {
        const { error } = this.#job;
        return {
          state: "halted",
          ...known,
          why: keptText(messageOf(error)),
        };
      }
      default:
        return undefined;
    }
  }

  #running(known: Pick<SinkStatus, "rows" | "blocks">): SinkStatus {
    if (this.#isKnown === false) return { state: "progressing", ...known, why: unknown };
    if (this.#waiting === undefined) return { state: "progressing", ...known };
    if (this.#waiting > 0) return { state: "progressing", ...known, waiting: this.#waiting };
    this.#since ??= this.#now();
    return { state: "idle", ...known, waiting: 0, since: this.#since };
  }
}
