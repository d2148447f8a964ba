import type { ParkedOfSink } from "../../../pipelines/host/pipeline-engine.js";
import { doerOf } from "../../http/doer-of.js";
import { type Html, html } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import type { PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { Problem } from "../../problem.js";
import type { PageScope, Visit } from "../page-scope.js";
import { confirmed, digits, wideTable } from "../parts.js";
import { pipelineOf, titled } from "./pipeline-visit.js";
import { pipelinePageOf } from "./pipeline-words.js";
import { isResting, pauseFirst, taskPageOf } from "./task-words.js";

const address = "/pipelines/:name/parked";
/** The prefix of form fields that are columns of a key. */
const column = "key:";

type Parked = ParkedOfSink["first"][number];

/** Adds the page of the parked changes of a pipeline, and the forms that write or drop them. */
export function addParkedPages(pages: PageScope, pipelines: Pipelines): void {
  const { tasks } = pipelines;
  pages.get(address, "Viewer", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const mayChange = mayActAs(visit.caller.role, "Editor");
    return {
      ...titled(row, "parked rows"),
      body: parkedPage(row, await tasks.parked(row, undefined), mayChange),
    };
  });
  pages.post(`${address}/retry`, "Editor", async ({ path: { name = "" }, form, request }) => {
    const sink = form.get("sink") ?? "";
    const key = keyIn(form);
    const task = { kind: "retry", sink, ...(Object.keys(key).length > 0 && { key }) } as const;
    return taskPageOf(name, await tasks.begin(doerOf(request), name, task));
  });
  pages.post(`${address}/drop`, "Editor", async ({ path: { name = "" }, form, request }) => {
    const key = keyIn(form);
    if (Object.keys(key).length === 0) throw new Problem("bad-request", "The key of the row is missing.");
    const task = { kind: "drop", sink: form.get("sink") ?? "", key } as const;
    return taskPageOf(name, await tasks.begin(doerOf(request), name, task));
  });
}

function keyIn(form: Visit["form"]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...form].flatMap(([name, value]) =>
      name.startsWith(column) ? [[name.slice(column.length), value]] : [],
    ),
  );
}

/** The parked rows of a pipeline's sinks. @param mayChange whether the visitor may write or drop them */
export function parkedPage(row: PipelineRow, sinks: readonly ParkedOfSink[], mayChange: boolean): Html {
  const found = sinks.filter(({ total }) => total > 0);
  const mayWrite = mayChange && isResting(row);
  return html`<p>A sink keeps a row aside if it refuses it, and later changes of the same key behind it.</p>
${mayChange && !mayWrite && found.length > 0 && pauseFirst(row, "To write or drop them")}
${found.length === 0 && html`<p class="soft">Nothing is parked.</p>`}
${found.map((sink) => sinkOf(row, sink, mayWrite))}`;
}

function sinkOf(row: PipelineRow, { sink, total, first }: ParkedOfSink, mayWrite: boolean): Html {
  const own = `${pipelinePageOf(row)}/parked`;
  const head = ["Key", "Change", "From", "Since (UTC)", "Reason", ...(mayWrite ? ["Actions"] : [])].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  const rows = first.map((change, index) => {
    const { operation, source, from, to, parkedAt, reason, droppedAt } = change;
    const why = reason ?? "waits behind another change of its key";
    return html`<tr><td class="mono">${keyText(change)}</td><td>${words[operation]}</td>
<td>${source} ${from === to ? digits(from) : `${digits(from)}–${digits(to)}`}</td>
<td>${parkedAt.slice(0, 19).replace("T", " ")}</td><td>${droppedAt !== null && html`<b>dropped:</b> `}${why}
<details><summary>Row</summary><pre>${JSON.stringify(change.row)}</pre></details></td>
${mayWrite && html`<td>${droppedAt === null && actions(change, sink, own, index)}</td>`}</tr>`;
  });
  return html`<h2 id="sink-${sink}">${sink}</h2><p>${digits(total)} ${total === 1 ? "change" : "changes"}${total > first.length && `, the first ${first.length} of them`}</p>
${mayWrite && html`<form method="post" action="${own}/retry"><input type="hidden" name="sink" value="${sink}"><button aria-label="Retry all of ${sink}">Retry all</button></form>`}
${wideTable(head, rows, `Parked rows of ${sink}`)}`;
}

const words = { i: "insert", u: "update", d: "delete" } as const;

function keyText({ key }: Parked): string {
  return Object.entries(key)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(" ");
}

function actions(change: Parked, sink: string, own: string, index: number): Html {
  const what = keyText(change).slice(0, 80);
  const fields = html`<input type="hidden" name="sink" value="${sink}">${Object.entries(change.key).map(
    ([name, value]) => html`<input type="hidden" name="${column}${name}" value="${String(value)}">`,
  )}`;
  return html`<form method="post" action="${own}/retry">${fields}<button aria-label="Retry ${what}">Retry</button></form>
${confirmed({
  id: `drop-${sink}-${index}`,
  word: "Drop",
  label: `Drop ${what}`,
  question: `All parked changes of this key are given up. They are never written to ${sink}.`,
  action: `${own}/drop`,
  fields,
})}`;
}
