import { type Html, html } from "../../http/html.js";
import type { PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { Content } from "../page-scope.js";
import { digits } from "../parts.js";
import { lastError, pipelinePageOf, pipelineState, rowsOf, urgencyOf } from "./pipeline-words.js";

/** The pipelines and streams of a project, failed ones first. @param mayChange whether the visitor may create some */
export function pipelineList(rows: readonly PipelineRow[], mayChange: boolean): Content {
  const sorted = [...rows].sort((one, other) => urgencyOf(one) - urgencyOf(other));
  const failed = rows.filter((row) => urgencyOf(row) === 0).length;
  const totals = `${rows.length} ${rows.length === 1 ? "pipeline" : "pipelines"}${failed > 0 ? `, ${failed} failed` : ""}`;
  return {
    title: "Pipelines",
    failures: failed,
    body: html`${mayChange && rows.length > 0 && html`<p><a class="button main" href="/new-pipeline">New pipeline</a></p>`}
${rows.length > 1 && html`<p class="soft">${totals}</p>`}
${rows.length === 0 ? noPipelines(mayChange) : html`<ul class="cards">${sorted.map(card)}</ul>`}`,
    isLive: true,
    news: totals,
  };
}

function card(row: PipelineRow): Html {
  const error = lastError(row);
  return html`<li class="card" id="card-${row.name}">
<h2><a href="${pipelinePageOf(row)}">${row.name}</a></h2>
<p class="row">${pipelineState(row)} <span class="small soft">${row.form}${row.isJob && ", job"}</span>
<span class="small soft">version ${row.version}</span></p>
<p class="small soft">${rowsWritten(rowsOf(row))}</p>
${error !== undefined && html`<p class="small bad">${error}</p>`}
</li>`;
}

/** `1,204 rows written` */
export function rowsWritten(rows: number): string {
  return `${digits(rows)} ${rows === 1 ? "row" : "rows"} written`;
}

function noPipelines(mayChange: boolean): Html {
  return html`<p>No pipelines yet. A pipeline sends rows of a chain or a subgraph to your own databases and services.</p>
${
  mayChange &&
  html`<p><a class="button main" href="/new-pipeline">New pipeline</a></p>
<p>On the command line:</p>
<pre>graphloom pipeline apply transfers.yaml</pre>`
}`;
}

/** The page of a server without pipelines. */
export const withoutPipelines: Content = {
  title: "Pipelines",
  body: html`<p>This server runs no pipelines.</p>`,
};
