import type { PipelineLine } from "../../../pipelines/host/pipeline-engine.js";
import { type Html, html } from "../../http/html.js";
import type { PipelineRow, PipelineVersion } from "../../pipelines/pipeline-rows.js";
import { isOver } from "../../pipelines/pipeline-rows.js";
import type { TaskRow } from "../../pipelines/tasks/task-rows.js";
import { logTable } from "../log-table.js";
import { confirmed, digits, wideTable } from "../parts.js";
import { numberedText } from "./definition-text.js";
import { pipelineGraph, type ShownNode } from "./pipeline-graph.js";
import { rowsWritten } from "./pipeline-list.js";
import { blockOf, lagOf, pipelinePageOf, pipelineState, rowsOf, sinkState } from "./pipeline-words.js";
import { ledgerSection } from "./task-pages.js";

/** The content of a pipeline's page. */
export interface PipelineFacts {
  readonly row: PipelineRow;
  /** The version that should run; absent while the pipeline is being created. */
  readonly version: PipelineVersion | undefined;
  readonly versions: readonly PipelineVersion[];
  readonly nodes: readonly ShownNode[];
  /** The tasks on its sinks, latest first. */
  readonly tasks: readonly TaskRow[];
  /** The last lines of its log, latest first. */
  readonly lines: readonly PipelineLine[];
  /** Whether the visitor is allowed to make changes. */
  readonly mayChange: boolean;
}

/** The page of a pipeline or a stream. */
export function pipelinePage({
  row,
  version,
  versions,
  nodes,
  lines,
  tasks,
  mayChange,
}: PipelineFacts): Html {
  return html`<p class="row">${pipelineState(row)} <span class="soft">${row.form}${row.isJob && ", job"}</span>
<span class="soft">version ${row.version}</span> <span class="soft">${rowsWritten(rowsOf(row))}</span></p>
${version && version.description !== null && html`<p>${version.description}</p>`}
${row.error !== null && html`<div class="notice bad" id="failure" role="alert"><strong>It has ended.</strong><pre>${row.error}</pre></div>`}
${row.request && html`<p class="notice" id="request">Under way: ${row.request}${row.requestedAt && html`, since ${timeOf(row.requestedAt)} UTC`}.</p>`}
${mayChange && pipelineActions(row)}
<h2 id="graph">Graph</h2>
${pipelineGraph(row.name, nodes)}
${nodeTable(nodes)}
${partLinks(row)}
${ledgerSection(
  row,
  nodes.flatMap(({ kind, name }) => (kind === "sink" ? [name] : [])),
  tasks,
  mayChange,
)}
<h2 id="log">Log</h2>
${lines.length === 0 ? html`<p class="soft">The log is empty.</p>` : logTable(lines)}
<p><a href="${pipelinePageOf(row)}/log">Full log</a></p>
${version && definition(row, version, mayChange)}
${versionTable(row, versions)}`;
}

function partLinks(row: PipelineRow): Html {
  const own = pipelinePageOf(row);
  const parked = Object.values(row.sinks).reduce((sum, sink) => sum + (sink.parked ?? 0), 0);
  return html`<ul class="pages" id="parts"><li><a href="${own}/rows">Rows as they pass</a></li>
<li><a href="${own}/parked">Parked rows</a>${parked > 0 && html` <span class="warn">${digits(parked)}</span>`}</li>
<li><a href="${own}/snapshots">Snapshots</a></li></ul>`;
}

function nodeTable(nodes: readonly ShownNode[]): Html {
  const rows = nodes.map(
    (node) => html`<tr id="node-${node.name}"><td>${node.name}</td><td>${node.kind}</td>
<td>${node.type}${node.of !== undefined && html` <span class="soft">${node.of}</span>`}</td><td>${node.reads.join(", ")}</td>
${doing(node)}</tr>`,
  );
  const head = [
    ...["Node", "Kind", "Type", "Reads", "State"].map((text) => html`<th scope="col">${text}</th>`),
    ...["Rows", "Rows/s", "Last block", "Behind", "Parked"].map(
      (text) => html`<th scope="col" class="number">${text}</th>`,
    ),
  ];
  return wideTable(head, rows, "Nodes", "nodes");
}

function doing({ kind, status, passed, lag = status && lagOf(status) }: ShownNode): Html {
  const { rows, rate } = status ?? passed ?? {};
  const block = status && blockOf(status);
  const parked = status?.parked ?? 0;
  return html`<td>${kind === "sink" && sinkState(status)}${
    status?.since !== undefined &&
    html` <span class="small soft">since ${timeOf(new Date(status.since))} UTC</span>`
  }${
    (status?.misses ?? 0) > 0 &&
    html`<p class="small soft">Keys that lookups have not found: ${digits(status?.misses ?? 0)}</p>`
  }${status?.why !== undefined && html`<p class="small bad">${status.why}</p>`}${
    status?.state === "stalled" &&
    status.retryAt !== undefined &&
    html`<p class="small soft">Next try at ${timeOf(new Date(status.retryAt))} UTC</p>`
  }</td>
<td class="number">${rows !== undefined && digits(rows)}</td><td class="number">${rate !== undefined && digits(rate)}</td><td class="number">${block !== undefined && digits(block)}</td>
<td class="number">${lag !== undefined && digits(lag)}</td><td class="number${parked > 0 && " warn"}">${status && digits(parked)}</td>`;
}

function definition(row: PipelineRow, version: PipelineVersion, mayChange: boolean): Html {
  return html`<h2 id="definition">Definition</h2>
${mayChange && !row.isJob && html`<p><a href="${pipelinePageOf(row)}/edit">Change the definition</a></p>`}
<dl><dt>Resource size</dt><dd>${version.size}</dd>
${Object.entries(version.variables).map(([name, value]) => html`<dt class="mono">${name}</dt><dd class="mono">${value}</dd>`)}
${version.abis.map(({ url, abi }) => html`<dt>ABI of <span class="mono">${url}</span></dt><dd><details><summary>${digits(abi.length)} characters</summary>${numberedText(abi)}</details></dd>`)}</dl>
${numberedText(version.definition)}`;
}

function versionTable(row: PipelineRow, versions: readonly PipelineVersion[]): Html {
  const rows = versions.map(
    ({ version, size, description, createdAt }) => html`<tr>
<td><a href="${pipelinePageOf(row)}/versions/${version}">${version}</a>${version === row.version && html` <span class="tag">current</span>`}</td>
<td>${size}</td><td>${description ?? ""}</td><td>${timeOf(createdAt)}</td></tr>`,
  );
  const head = ["Version", "Resource size", "Description", "Made (UTC)"].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  return html`<h2 id="versions">Versions</h2>${wideTable(head, rows, "Versions", "high")}`;
}

/** The text of a version, also of one that no longer runs. */
export function versionPage(version: PipelineVersion): Html {
  return html`<dl><dt>Made (UTC)</dt><dd>${timeOf(version.createdAt)}</dd><dt>Resource size</dt><dd>${version.size}</dd></dl>
${numberedText(version.definition)}`;
}

function timeOf(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace("T", " ")}</time>`;
}

/** The buttons of a pipeline that make sense in its state. */
function pipelineActions(row: PipelineRow): Html {
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
