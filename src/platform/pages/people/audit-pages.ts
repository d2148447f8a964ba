import type { FastifyInstance } from "fastify";
import { type Html, html } from "../../http/html.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { callerOf } from "../../http/roles.js";
import type { NotedAct } from "../../people/audit.js";
import { type FilterTexts, filterFields, isDayText, readActFilter } from "../../people/audit-filter.js";
import { readActs } from "../../people/read-acts.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { csvText } from "../entities/export-rows.js";
import { type PageScope, queryOf } from "../page-scope.js";
import { wideTable } from "../parts.js";
import { momentCell, momentHead } from "../times.js";

const address = "/audit";
const file = "/audit.csv";
const shown = 100;
/** The most actions in a file. */
const mostInFile = 10_000;
const longestText = 200;

/** The objects of actions: the first parts of their names. */
export const actionKinds = [
  "edge-endpoint",
  "hosted-sink",
  "key",
  "member",
  "pipeline",
  "project",
  "secret",
  "session",
  "subgraph",
  "webhook",
] as const;

/** Adds the page of a project's audit log, and the log as a CSV file. */
export function addAuditPages(app: FastifyInstance, pages: PageScope, { database }: Platform): void {
  pages.get(address, "Admin", async ({ caller, query, request }) => {
    const before = query.get("before") ?? "";
    const isOlder = /^\d{1,18}$/.test(before);
    const page = { limit: shown, ...(isOlder && { before: BigInt(before) }) };
    const filter = filterIn(query);
    const acts = await readActs(
      database,
      { project: caller.project, gone: goneOf(request) },
      page,
      readActFilter(filter),
    );
    return { title: "Audit log", body: auditPage(acts, filter, isOlder), scripts: ["times.js"] };
  });

  app.get(
    file,
    { config: { role: "Admin", isLinked: true, ofBrowser: pages.ofBrowser } },
    async (request, reply) => {
      const filter = readActFilter(filterIn(queryOf(request)));
      const reader = { project: callerOf(request).project, gone: goneOf(request) };
      const acts = await readActs(database, reader, { limit: mostInFile + 1 }, filter);
      if (acts.length > mostInFile)
        throw new Problem(
          "unprocessable",
          `A file holds at most ${mostInFile.toLocaleString("en-US")} actions, and more match. Choose a shorter period.`,
        );
      return reply
        .headers({
          "content-disposition": 'attachment; filename="audit.csv"',
          "x-content-type-options": "nosniff",
          "cache-control": "no-store",
        })
        .type("text/csv; charset=utf-8")
        .send(actsAsCsv(acts));
    },
  );
}

function filterIn(query: URLSearchParams): FilterTexts {
  const given = filterFields.map((field) => [field, (query.get(field) ?? "").trim().slice(0, longestText)]);
  return Object.fromEntries(given.filter(([, text]) => text !== ""));
}

function auditPage(acts: readonly NotedAct[], filter: FilterTexts, isOlder: boolean): Html {
  const isFiltered = Object.keys(filter).length > 0;
  if (acts.length === 0 && !isFiltered && !isOlder)
    return html`<p>No actions yet. Every change in the project is recorded here, with who made it and when: deployments, tags, pipelines, webhooks, keys, secrets, endpoints and members.</p>`;
  return html`${filterForm(filter)}
${acts.length === 0 ? html`<p>${isOlder ? "There are no older actions." : "No action matches."} <a href="${address}">Show all</a></p>` : actTable(acts, filter)}
${acts.length === shown && html`<p><a href="${linkTo(filter, { before: String(acts.at(-1)?.id) })}">Older actions</a></p>`}`;
}

function filterForm(filter: FilterTexts): Html {
  const { by = "", action = "", subject = "", from = "", to = "" } = filter;
  const kinds = [...new Set([...actionKinds, ...(action === "" ? [] : [action])])];
  const isFiltered = Object.keys(filter).length > 0;
  return html`<form class="line" method="get" action="${address}" role="search">
<label>By <input type="search" id="search" name="by" value="${by}" maxlength="${longestText}" placeholder="Name or ID" autocomplete="off"></label>
<label>Action <select name="action"><option value="">all</option>${kinds.map(
    (kind) => html`<option${kind === action && html` selected`}>${kind}</option>`,
  )}</select></label>
<label>Subject <input type="search" name="subject" value="${subject}" maxlength="${longestText}" autocomplete="off"></label>
<label>From (UTC) ${timeField("from", from)}</label>
<label>To (UTC) ${timeField("to", to)}</label>
<button>Show</button>
${isFiltered && html`<a href="${address}">Show all</a>`}
<a href="${linkTo(filter, {}, file)}">Download as CSV</a>
</form>`;
}

/** Fields for days cannot show the times that an address may have. */
function timeField(name: "from" | "to", value: string): Html {
  const type = value === "" || isDayText(value) ? "date" : "text";
  return html`<input type="${type}" name="${name}" value="${value}">`;
}

function actTable(acts: readonly NotedAct[], filter: FilterTexts): Html {
  const rows = acts.map(
    ({ at, actor, action, subject, address: origin }) => html`<tr>
<td>${momentCell(at)}</td>
<td><a href="${linkTo(filter, { by: actor.id })}" title="${actor.id}">${actor.name}</a></td>
<td><a href="${linkTo(filter, { action })}">${action}</a></td><td>${subject}</td><td class="mono">${origin ?? ""}</td></tr>`,
  );
  const head = ["By", "Action", "Subject", "IP address"].map((text) => html`<th scope="col">${text}</th>`);
  return wideTable([momentHead, ...head], rows, "Audit log");
}

/** The address of a part of the log. */
function linkTo(
  filter: FilterTexts,
  changed: FilterTexts & { readonly before?: string },
  base = address,
): string {
  const query = new URLSearchParams(Object.entries({ ...filter, ...changed }));
  return query.size === 0 ? base : `${base}?${String(query)}`;
}

function actsAsCsv(acts: readonly NotedAct[]): string {
  const lines = [
    ["id", "time", "actor_id", "actor", "action", "subject", "ip_address"],
    ...acts.map(({ id, at, actor, action, subject, address: origin }) => [
      String(id),
      at.toISOString(),
      actor.id,
      actor.name,
      action,
      subject,
      origin ?? "",
    ]),
  ];
  return lines.map((line) => `${line.map(csvText).join(",")}\r\n`).join("");
}
