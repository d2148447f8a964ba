import { type Html, html } from "../../http/html.js";
import { listActs, type NotedAct } from "../../people/audit.js";
import type { Platform } from "../../platform.js";
import type { PageScope } from "../page-scope.js";
import { wideTable } from "../parts.js";

const shown = 100;

/** Adds the page of a project's audit log. */
export function addAuditPages(pages: PageScope, { database }: Platform): void {
  pages.get("/audit", "Admin", async ({ caller, query }) => {
    const before = query.get("before") ?? "";
    const isOlder = /^\d{1,18}$/.test(before);
    const page = { limit: shown, ...(isOlder && { before: BigInt(before) }) };
    return { title: "Audit log", body: auditPage(await listActs(database, caller.project, page)) };
  });
}

function auditPage(acts: readonly NotedAct[]): Html {
  if (acts.length === 0) return html`<p class="soft">No actions yet.</p>`;
  const rows = acts.map(
    ({ at, actor, action, subject, address }) => html`<tr>
<td><time datetime="${at.toISOString()}">${at.toISOString().slice(0, 19).replace("T", " ")}</time></td>
<td title="${actor.id}">${actor.name}</td><td>${action}</td><td>${subject}</td><td class="mono">${address ?? ""}</td></tr>`,
  );
  const head = ["Time (UTC)", "By", "Action", "Subject", "IP address"].map(
    (text) => html`<th scope="col">${text}</th>`,
  );
  const older =
    acts.length === shown && html`<p><a href="?before=${String(acts.at(-1)?.id)}">Older actions</a></p>`;
  return html`${wideTable(head, rows, "Audit log")}${older}`;
}
