import { type Html, html } from "../../http/html.js";
import { isOver, type PipelineRow } from "../../pipelines/pipeline-rows.js";
import { confirmed } from "../parts.js";
import { pipelinePageOf } from "./pipeline-words.js";

/** The buttons of a pipeline that make sense in its state. */
export function pipelineActions(row: PipelineRow): Html {
  const own = pipelinePageOf(row);
  const { status, isJob, request } = row;
  const hasEnded = isOver(row);
  const isActive = status === "ACTIVE";
  const button = (action: string, word: string): Html =>
    html`<form method="post" action="${own}/${action}"><button id="${action}">${word}</button></form>`;
  const isIdle = request === undefined;
  return html`<div class="row actions">
${isIdle && !isJob && (!isActive || hasEnded) && button("start", "Start")}
${isIdle && !isJob && isActive && !hasEnded && [button("pause", "Pause"), button("restart", "Restart")]}
${isIdle && isActive && button("stop", "Stop")}
${!isIdle && button("cancel", "Cancel the change")}
${confirmed({
  id: "deleting",
  word: "Delete",
  label: `Delete ${row.name}`,
  question: "It ends, and its versions, log and positions are deleted. What its sinks have written stays.",
  action: `${own}/delete`,
  fields: html`<label>Type the name to confirm <input name="name" required autocomplete="off"></label>`,
})}
</div>`;
}
