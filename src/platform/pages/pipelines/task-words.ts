import { type Html, html } from "../../http/html.js";
import { isOver, type PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { TaskRow } from "../../pipelines/tasks/task-rows.js";
import { pipelinePageOf } from "./pipeline-words.js";

/** The address of the page of a task. */
export function taskPageOf(name: string, { id }: Pick<TaskRow, "id">): string {
  return `${pipelinePageOf({ name })}/tasks/${id}`;
}

/** `repair of stored` */
export function taskTitle({ kind, task }: TaskRow): string {
  return task.sink === undefined ? kind : `${kind} of ${task.sink}`;
}

/** The state of a task, as a word with a color. */
export function taskState({ state, result, cancelledAt }: TaskRow): Html {
  if (state === "running")
    return html`<span class="state warn">${cancelledAt ? "being cancelled" : "under way"}</span>`;
  if (state === "cancelled") return html`<span class="state soft">cancelled</span>`;
  if (state === "failed") return html`<span class="state bad">failed</span>`;
  if (result && "agrees" in result)
    return result.agrees
      ? html`<span class="state good">agrees</span>`
      : html`<span class="state bad">differs</span>`;
  return html`<span class="state good">done</span>`;
}

/** Whether a pipeline does not run, so that something else may write its sinks. */
export function isResting(row: PipelineRow): boolean {
  return isOver(row) && row.task === undefined;
}

/** Says what to do first. @param what the user's goal: `To repair it` */
export function pauseFirst({ name, task }: PipelineRow, what: string): Html {
  const page = html`<a href="${pipelinePageOf({ name })}">${name}</a>`;
  return task === undefined
    ? html`<p class="notice">${what}, pause ${page} first, since no one else may write its sinks meanwhile.</p>`
    : html`<p class="notice">${what}, wait until the ${task} of ${page} is done.</p>`;
}
