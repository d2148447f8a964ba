import type { ComparedSink, PipelineTaskResult } from "../../../pipelines/host/pipeline-engine.js";
import { doerOf } from "../../http/doer-of.js";
import { type Html, html, wordsOf } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import type { PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { requireOrder } from "../../pipelines/tasks/require-order.js";
import type { KeptTask, TaskRow } from "../../pipelines/tasks/task-rows.js";
import { Problem } from "../../problem.js";
import { NotHere } from "../not-here.js";
import type { PageScope } from "../page-scope.js";
import { confirmed, digits, wideTable } from "../parts.js";
import { pipelineOf, titled } from "./pipeline-visit.js";
import { pipelinePageOf } from "./pipeline-words.js";
import { isResting, pauseFirst, taskPageOf, taskState, taskTitle } from "./task-words.js";

const address = "/pipelines/:name";

/** Adds the forms that compare and repair a pipeline's rows, and the page of the outcome. */
export function addTaskPages(pages: PageScope, pipelines: Pipelines): void {
  const { tasks } = pipelines;
  pages.post(`${address}/verify`, "Viewer", async ({ path: { name = "" }, form, request }) => {
    const sink = form.get("sink") ?? "";
    const task = { kind: "verify", ...(sink !== "" && { sink }) } as const;
    return taskPageOf(name, await tasks.begin(doerOf(request), name, task));
  });
  pages.post(`${address}/repair`, "Editor", async ({ path: { name = "" }, form, request }) => {
    const trustsSource = form.get("trust") === "yes";
    const task = { kind: "repair", sink: form.get("sink") ?? "", trustsSource } as const;
    return taskPageOf(name, await tasks.begin(doerOf(request), name, task));
  });
  pages.post(`${address}/replay`, "Editor", async ({ path: { name = "" }, form, request }) => {
    const range = { from: blockIn(form.get("from")), to: blockIn(form.get("to")) };
    requireOrder(range.from, range.to);
    const sends = form.get("send") === "yes";
    const task = { kind: "replay", sink: form.get("sink") ?? "", range, sends } as const;
    return taskPageOf(name, await tasks.begin(doerOf(request), name, task));
  });
  pages.post(`${address}/tasks/:id/cancel`, "Viewer", async ({ path: { name = "", id = "" }, request }) =>
    taskPageOf(name, await tasks.cancel(doerOf(request), name, id)),
  );
  pages.get(`${address}/tasks/:id`, "Viewer", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const task = await tasks.find(row, visit.path.id ?? "").catch((error: unknown) => {
      if (!(error instanceof Problem) || error.type !== "not-found") throw error;
      throw new NotHere(error.message, [[row.name, pipelinePageOf(row)]]);
    });
    return {
      ...titled(row, taskTitle(task)),
      body: taskPage(row, task, mayActAs(visit.caller.role, "Editor")),
      isLive: task.state === "running",
      news: wordsOf(taskState(task)),
    };
  });
}

/** A block's number. @throws Problem `bad-request` */
function blockIn(text: string | null): number {
  if (text !== null && /^\s*\d{1,15}\s*$/.test(text)) return Number(text);
  throw new Problem("bad-request", "Write the first and the last block as whole numbers.");
}

/** The section of a pipeline's page about its ledger: forms that compare and send again, and the last tasks. */
export function ledgerSection(
  row: PipelineRow,
  sinks: readonly string[],
  tasks: readonly TaskRow[],
  mayChange: boolean,
): Html {
  const options = sinks.map((sink) => html`<option>${sink}</option>`);
  const rows = tasks.map(
    (task) => html`<tr><td><a href="${taskPageOf(row.name, task)}">${taskTitle(task)}</a></td>
<td>${taskState(task)} <span class="small soft">${task.state === "running" && (task.progress ?? "")}</span></td>
<td>${timeText(task.createdAt)}</td></tr>`,
  );
  const head = ["What", "Result", "Asked (UTC)"].map((text) => html`<th scope="col">${text}</th>`);
  return html`<h2 id="ledger">Ledger</h2>
<p>Each sink keeps a ledger of what was written. Verify compares it with the sources and with what the sink holds.</p>
<form class="line" method="post" action="${pipelinePageOf(row)}/verify"><label>Sink <select name="sink"><option value="">all</option>${options}</select></label><button id="verify">Verify</button></form>
${mayChange && replayForm(row, options)}
${rows.length > 0 && wideTable(head, rows, "Results")}`;
}

/** A form that counts the rows of some blocks. The page of the count asks whether to send them. */
function replayForm(row: PipelineRow, sinks: readonly Html[]): Html {
  if (!isResting(row)) return pauseFirst(row, "To send rows again");
  return html`<p>Replay sends the rows of some blocks to a sink again. It counts them first, and asks.</p>
<form class="line" method="post" action="${pipelinePageOf(row)}/replay"><label>Replay to <select name="sink">${sinks}</select></label>
<label>First block ${blockInput("from")}</label><label>Last block ${blockInput("to")}</label><button id="replay">Count rows</button></form>`;
}

function blockInput(name: string): Html {
  return html`<input name="${name}" inputmode="numeric" pattern="[0-9]{1,15}" maxlength="15" size="12" required>`;
}

function taskPage(row: PipelineRow, task: TaskRow, mayChange: boolean): Html {
  const { result, error, progress, state, createdAt, endedAt, cancelledAt } = task;
  const mayCancel = state === "running" && !cancelledAt && (mayChange || task.kind === "verify");
  return html`<p class="row">${taskState(task)} <span class="soft">asked ${timeText(createdAt)} UTC</span>${
    endedAt && html` <span class="soft">ended ${timeText(endedAt)} UTC</span>`
  }</p>
${state === "running" && html`<p id="progress">${progress ?? "It begins."}</p>`}
${
  mayCancel &&
  html`<form method="post" action="${taskPageOf(row.name, task)}/cancel"><button id="cancel">Cancel ${taskTitle(task)}</button></form>`
}
${
  state === "cancelled" &&
  html`<p class="notice" id="cancelled">It was cancelled. What it had done stays done.${progress !== null && html` It said last: ${progress}`}</p>`
}
${error !== null && html`<div class="notice bad" id="failure" role="alert"><strong>It has failed.</strong><pre>${error}</pre></div>`}
${result && resultOf(row, task.task, result, mayChange)}`;
}

function resultOf(row: PipelineRow, task: KeptTask, result: PipelineTaskResult, mayChange: boolean): Html {
  switch (result.kind) {
    case "verify":
    case "repair": {
      const isMendable = mayChange && !result.agrees;
      return html`${isMendable && !isResting(row) && pauseFirst(row, "To mend what differs")}
${result.sinks.map((sink) => comparedSink(row, sink, isMendable && isResting(row)))}`;
    }
    case "replay":
      return replayResult(row, task, result, mayChange);
    default: {
      const word = result.kind === "retry" ? "written" : "dropped";
      const lines = result.sinks.map(
        (one) =>
          html`<li>${one.sink}: ${"done" in one && `${digits(one.done)} ${word}, `}${digits(one.total)} still parked</li>`,
      );
      return html`${lines.length === 0 ? html`<p>Nothing is parked.</p>` : html`<ul>${lines}</ul>`}
<p><a href="${pipelinePageOf(row)}/parked">Parked rows</a></p>`;
    }
  }
}

function replayResult(
  row: PipelineRow,
  task: KeptTask,
  { rows, overtaken, sent }: Extract<PipelineTaskResult, { readonly kind: "replay" }>,
  mayChange: boolean,
): Html {
  const range = task.kind === "replay" ? task.range : undefined;
  const blocks = range && ` of blocks ${digits(range.from)} to ${digits(range.to)}`;
  const said = html`<p>${digits(rows)} rows${blocks} ${sent ? "were sent again" : "were counted"}${
    overtaken > 0 && `, without ${digits(overtaken)} that later ones have overtaken`
  }.</p>`;
  if (sent || rows === 0 || !range || !mayChange) return said;
  if (!isResting(row)) return html`${said}${pauseFirst(row, "To send them again")}`;
  return html`${said}${confirmed({
    id: "send",
    word: "Send",
    label: `Send ${digits(rows)} rows again`,
    question: `${task.sink ?? ""} gets these rows again. Its positions and its ledger stay as they are.`,
    action: `${pipelinePageOf(row)}/replay`,
    fields: html`<input type="hidden" name="sink" value="${task.sink ?? ""}"><input type="hidden" name="from" value="${range.from}">
<input type="hidden" name="to" value="${range.to}"><input type="hidden" name="send" value="yes">`,
  })}`;
}

function comparedSink(row: PipelineRow, found: ComparedSink, isMendable: boolean): Html {
  const title = html`<h2 id="sink-${found.sink}">${found.sink} <span class="small soft">${found.type}</span></h2>`;
  if ("error" in found) return html`${title}<p class="bad">Not compared: ${found.error}</p>`;
  if (!found.ledger) return html`${title}<p>This version cannot compare it.</p>`;
  const sources = found.sources.map(({ source, compared, rows, ranges, differing }) => {
    const verdict =
      compared === "nothing"
        ? "not compared"
        : differing.length === 0
          ? "the ledger agrees"
          : "the ledger differs";
    return html`<li>${source}: ${digits(ranges)} ${ranges === 1 ? "range" : "ranges"}, ${digits(rows)} ${rows === 1 ? "row" : "rows"}: ${verdict}
${
  differing.length > 0 &&
  html`<ul>${differing.map(
    ({ from, to, recorded, found: now }) =>
      html`<li>${digits(from)}–${digits(to)}: ${
        recorded === undefined ? "not in the ledger" : `${digits(recorded)} rows in the ledger`
      }, ${digits(now)} in the source</li>`,
  )}</ul>`
}</li>`;
  });
  const notes = [...found.unproved, ...(found.rows?.notes ?? [])];
  const isWrong = found.rows && Object.values(found.rows.counts).some((count) => count > 0);
  return html`${title}<ul>${sources}</ul>${rowsOf(found)}
${notes.map((note) => html`<p class="small">${note}</p>`)}
${found.parked.length > 0 && html`<p><a href="${pipelinePageOf(row)}/parked">${found.parked.length} ${found.parked.length === 1 ? "change is" : "changes are"} kept aside</a></p>`}
${
  isMendable &&
  (isWrong || found.sources.some(({ differing }) => differing.length > 0)) &&
  confirmed({
    id: `repair-${found.sink}`,
    word: "Repair",
    label: `Repair ${found.sink}`,
    question: "Missing rows are inserted, altered ones corrected, doubled and foreign ones deleted.",
    action: `${pipelinePageOf(row)}/repair`,
    fields: html`<input type="hidden" name="sink" value="${found.sink}">
<label><input type="checkbox" name="trust" value="yes"> Where source and ledger differ, take what the source says</label>`,
  })
}`;
}

function rowsOf({ rows, sink }: Exclude<ComparedSink, { readonly error: string }>): Html {
  if (!rows) return html`<p>Its rows cannot be read back: only the ledger was compared.</p>`;
  const counts = Object.entries(rows.counts).filter(([, count]) => count > 0);
  if (counts.length === 0) return html`<p>Its rows are as they should be.</p>`;
  const head = ["Row", "Key", "Columns"].map((text) => html`<th scope="col">${text}</th>`);
  const lines = rows.first.map(
    ({ kind, key, columns = [] }) =>
      html`<tr><td>${kind}</td><td class="mono">${Object.entries(key)
        .map(([name, value]) => `${name}=${value ?? "null"}`)
        .join(" ")}</td><td>${columns.join(", ")}</td></tr>`,
  );
  return html`<p class="bad">${counts.map(([kind, count]) => `${digits(count)} ${kind}`).join(", ")}</p>
${wideTable(head, lines, `Rows of ${sink} that differ`, "high")}`;
}

function timeText(date: Date): string {
  return date.toISOString().slice(0, 19).replace("T", " ");
}
