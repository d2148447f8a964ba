import { doerOf } from "../../http/doer-of.js";
import { type Html, html } from "../../http/html.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { mayActAs } from "../../people/api-keys.js";
import { setPipelineStatus } from "../../pipelines/manage-pipelines.js";
import type { PipelineRow } from "../../pipelines/pipeline-rows.js";
import type { Pipelines } from "../../pipelines/pipelines.js";
import { listSnapshots, placesIn, type SnapshotRow, savepointIn } from "../../pipelines/snapshot-rows.js";
import { createSnapshot, requireSnapshot } from "../../pipelines/snapshots.js";
import type { PageScope } from "../page-scope.js";
import { confirmed, digits, wideTable } from "../parts.js";
import { pipelineOf, titled } from "./pipeline-visit.js";
import { pipelinePageOf } from "./pipeline-words.js";

const address = "/pipelines/:name/snapshots";

/** Adds the page of a pipeline's snapshots, and the forms that take a snapshot and return to one. */
export function addSnapshotPages(pages: PageScope, pipelines: Pipelines): void {
  const { database } = pipelines.platform;
  pages.get(address, "Viewer", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const mayChange = mayActAs(visit.caller.role, "Editor");
    return {
      ...titled(row, "snapshots"),
      body: snapshotPage(row, await listSnapshots(database, row), mayChange),
    };
  });
  pages.post(address, "Editor", async ({ path: { name = "" }, request }) => {
    await createSnapshot(pipelines, doerOf(request), name, goneOf(request));
    return `${pipelinePageOf({ name })}/snapshots`;
  });
  pages.post(`${address}/:id/restore`, "Editor", async (visit) => {
    const row = await pipelineOf(pipelines, visit);
    const { id = "" } = visit.path;
    await requireSnapshot(database, row, id);
    const change = { status: "ACTIVE", request: "restart", begins: id } as const;
    return pipelinePageOf(await setPipelineStatus(pipelines, doerOf(visit.request), row.name, change));
  });
}

function snapshotPage(row: PipelineRow, snapshots: readonly SnapshotRow[], mayChange: boolean): Html {
  const own = `${pipelinePageOf(row)}/snapshots`;
  const head = ["Taken (UTC)", "Why", "Version", "Next blocks", ...(mayChange ? ["Go back"] : [])].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  const rows = snapshots.map(
    (snapshot) => html`<tr><td>${snapshot.createdAt.toISOString().slice(0, 19).replace("T", " ")}</td>
<td>${causes[snapshot.cause]}</td><td>${snapshot.version}</td>
<td><ul class="plain">${placesOf(snapshot).map(([sink, source, next]) => html`<li>${sink}: ${source} ${digits(next)}</li>`)}${savepointOf(snapshot)}</ul></td>
${mayChange && html`<td>${!row.isJob && restoring(row, snapshot, own)}</td>`}</tr>`,
  );
  return html`<p>A snapshot says how far each sink was. The last ten are kept.</p>
${mayChange && html`<form method="post" action="${own}"><button id="take">Take a snapshot</button></form>`}
${rows.length === 0 ? html`<p class="soft">There are no snapshots yet.</p>` : wideTable(head, rows, "Snapshots")}`;
}

const causes = {
  request: "on request",
  schedule: "on schedule",
  change: "before a change",
  pause: "on pause",
} as const satisfies Readonly<Record<SnapshotRow["cause"], string>>;

function placesOf(snapshot: SnapshotRow): readonly (readonly [sink: string, source: string, next: number])[] {
  return Object.entries(placesIn(snapshot)).flatMap(([sink, sources]) =>
    Object.entries(sources).map(([source, next]) => [sink, source, next] as const),
  );
}

/** Where Flink continues, if it runs the queries. */
function savepointOf(snapshot: SnapshotRow): Html | undefined {
  const savepoint = savepointIn(snapshot);
  return savepoint === undefined ? undefined : html`<li>Flink: <span class="mono">${savepoint}</span></li>`;
}

/** The form that returns to a snapshot, which first says what is sent again. */
function restoring(row: PipelineRow, snapshot: SnapshotRow, own: string): Html {
  const taken = snapshot.createdAt.toISOString().slice(0, 19).replace("T", " ");
  const again = placesOf(snapshot).map(
    ([sink, source, next]) => html`<li>${againText(row, sink, source, next)}</li>`,
  );
  return confirmed({
    id: `restore-${snapshot.id}`,
    word: "Go back",
    label: `Go back to ${taken}`,
    question:
      "The pipeline starts there. Webhooks and queues get these rows again, under new numbers; tables are written over.",
    action: `${own}/${encodeURIComponent(snapshot.id)}/restore`,
    fields: html`<ul>${again}${savepointOf(snapshot) && html`<li>Flink goes on at its savepoint, and writes rows since then again with the same values.</li>`}</ul>`,
  });
}

function againText({ sinks }: PipelineRow, sink: string, source: string, next: number): string {
  const last = sinks[sink]?.blocks[source];
  if (last === undefined) return `${sink}: rows of ${source} from block ${digits(next)} on are sent again.`;
  if (last < next) return `${sink}: nothing of ${source} is sent again.`;
  return `${sink}: rows of ${source} from block ${digits(next)} to ${digits(last)} are sent again.`;
}
