import type { JobState } from "./job-driver.js";

/** Describes doubts about a running job, for people. Sentences, the last one without a final period. */
export const doubtText = {
  lost: "Flink restarted the job without its state, so tables may hold rows that no longer exist. Pause the pipeline, empty the tables, and start it with --from-snapshot none",
  unknown:
    "The job manager does not say whether the job was restarted, so graphloom cannot notice a lost state",
};

/** Describes a job's state, for people: `Flink: running job 0123…` */
export function jobText(state: JobState): string {
  switch (state.kind) {
    case "unstarted":
      return "Flink: no job was started";
    case "starting":
      return state.savepoint === undefined
        ? "Flink: starting a job at the beginning of the topics"
        : `Flink: starting a job at savepoint ${state.savepoint}`;
    case "running":
      return `Flink: running job ${state.id}${state.doubt ? `. ${doubtText[state.doubt]}` : ""}`;
    case "stalled":
      return `Flink: waiting: ${state.why}`;
    case "paused":
      return `Flink: paused at savepoint ${state.savepoint}`;
    case "left":
      return "Flink: goes on with the job on its own";
    case "cancelled":
      return "Flink: cancelled the job";
    case "finished":
      return "Flink: the job has read all rows";
    case "halted":
      return "Flink: stopped";
  }
}
