import type { HostedError, HostedStatus } from "../../hosting/engine.js";
import type { LogLine } from "../../store/logs/log-line.js";
import type { EntityTable } from "../../store/tables/layout.js";
import { type Html, html } from "../http/html.js";
import type { SubgraphVersion } from "../subgraphs/versions.js";
import { pageOf } from "./addresses.js";
import type { Draft } from "./draft.js";
import type { EntityCounts } from "./entity-counts.js";
import { typeOf } from "./entity-names.js";
import { changeOf, digits, figuresOf, mistakesOf, progressOf, stateOf, wideTable } from "./parts.js";
import type { PendingBuild } from "./views.js";

/** The content of the page of a version or a tag. */
export interface ShownFacts {
  readonly entry: SubgraphVersion;
  readonly status?: HostedStatus;
  /** The configuration under development, if the version comes from one. */
  readonly draft?: Draft | undefined;
  readonly change?: PendingBuild | undefined;
  /** Absent when its tables do not exist yet or cannot be read. */
  readonly tables?: readonly EntityTable[];
  /** Absent before the first count of the entities. */
  readonly counts?: EntityCounts | undefined;
  /** The last lines of its log, latest first. */
  readonly lines: readonly LogLine[];
  readonly tags: readonly string[];
  readonly endpoints: { readonly public: string; readonly private: string };
  /** The map of what it listens to and what it stores. Absent when its build cannot be read. */
  readonly map?: Html | undefined;
  /** Sections from other parts of the server. */
  readonly more: readonly (Html | undefined)[];
  /** Whether the visitor is allowed to make changes. */
  readonly mayChange: boolean;
}

/** The page of a version or a tag. */
export function subgraphPage(facts: ShownFacts): Html {
  const { entry, status, draft, tables, counts, lines, map, more } = facts;
  return html`${mistakesOf(draft)}<p class="row">${stateOf(entry, status)} <span class="soft">${entry.network}</span>
${!draft && entry.target !== undefined && html`<span>tag for <a href="${pageOf({ ...entry, version: entry.target })}">${entry.target}</a></span>`}
${facts.tags.map((tag) => html`<a class="tag" href="${pageOf({ ...entry, version: tag })}">${tag}</a>`)}</p>
${entry.description !== null && entry.description !== "" && html`<p>${entry.description}</p>`}
${progressOf(status)}
${figuresOf(status)}
${changeOf(facts.change)}
${status && errorsOf(status)}
${facts.mayChange && entry.target === undefined && pausing(entry)}
${contents(facts)}
${endpoints(facts)}
${tables && entities(entry, tables, counts)}
${map && html`<h2 id="map">Map</h2>${map}`}
${more}
${facts.mayChange && entry.target === undefined && tagForm(entry)}
<h2 id="log">Log</h2>
${lines.length === 0 ? html`<p class="soft">The log is empty.</p>` : logTable(lines)}
<p><a href="${pageOf(entry)}/log">Full log</a></p>
<h2 id="deployment">Deployment</h2>
<dl><dt>ID</dt><dd class="mono">${entry.deployment}</dd>
<dt>Engine</dt><dd>${entry.engine}</dd>
<dt>Deployed</dt><dd><time datetime="${entry.createdAt.toISOString()}">${entry.createdAt.toISOString().slice(0, 19).replace("T", " ")}</time></dd>
${status && html`<dt>Start block</dt><dd>${digits(status.startBlock)}</dd>`}</dl>`;
}

/** Links to the sections of the page. */
function contents({ tables, map, more }: ShownFacts): Html {
  const parts = [
    ["queries", "Queries", true],
    ["entities", "Entities", tables !== undefined],
    ["map", "Map", map !== undefined],
    ["webhooks", "Webhooks", more.some((part) => part !== undefined)],
    ["log", "Log", true],
    ["deployment", "Deployment", true],
  ] as const;
  const links = parts
    .filter(([, , isThere]) => isThere)
    .map(([id, text]) => html`<li><a href="#${id}">${text}</a></li>`);
  return html`<nav aria-label="On this page"><ul class="pages">${links}</ul></nav>`;
}

function errorsOf({ fatalError, nonFatalErrors }: HostedStatus): Html {
  const fatal =
    fatalError &&
    html`<div class="notice bad" id="failure" role="alert"><strong>${fatalError.isRetried ? "Indexing failed" : "Indexing stopped"}${
      fatalError.block !== undefined && html` at block ${digits(fatalError.block)}`
    }${fatalError.handler !== undefined && html`, in ${fatalError.handler}`}${fatalError.isRetried && ", and is retried"}.</strong>
<pre>${placed(fatalError)}</pre></div>`;
  const others =
    nonFatalErrors.length > 0 &&
    html`<details class="notice" id="errors"><summary>${nonFatalErrors.length} ${nonFatalErrors.length === 1 ? "handler" : "handlers"} failed</summary><ul>${nonFatalErrors.map(
      (error) =>
        html`<li>${error.block !== undefined && html`block ${digits(error.block)} `}${error.handler} <span class="mono">${placed(error)}</span></li>`,
    )}</ul></details>`;
  return html`${fatal}${others}`;
}

/** The message, with its place in the configuration or else in the mapping, if known. */
function placed({ message, place, configPlace = place }: HostedError): string {
  return configPlace === undefined ? message : `${configPlace}: ${message}`;
}

function pausing(entry: SubgraphVersion): Html {
  const [action, word] = entry.isPaused ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<form class="line" method="post" action="${pageOf(entry)}/${action}"><button id="pausing">${word}</button></form>`;
}

function endpoints({ entry, mayChange, endpoints: { public: open, private: closed } }: ShownFacts): Html {
  return html`<h2 id="queries">Queries</h2>
<dl><dt>Public</dt><dd>${address(open, entry.hasPublicEndpoint)}</dd>
<dt>With an API key</dt><dd>${address(closed, entry.hasPrivateEndpoint)}</dd></dl>
${mayChange && endpointForm(entry)}`;
}

/** An endpoint that is off is shown without a link. */
function address(text: string, isOn: boolean): Html {
  return isOn
    ? html`<a class="mono" href="${text}">${text}</a>`
    : html`<span class="mono soft">${text}</span> <span class="soft">(off)</span>`;
}

function endpointForm(entry: SubgraphVersion): Html {
  const box = (name: string, text: string, isOn: boolean): Html =>
    html`<label class="box"><input type="checkbox" name="${name}"${isOn && html` checked`}> ${text}</label>`;
  return html`<details id="endpoints"><summary>Change endpoints</summary>
<form class="line" method="post" action="${pageOf(entry)}/endpoints">
${box("public", "Public", entry.hasPublicEndpoint)}
${box("private", "With an API key", entry.hasPrivateEndpoint)}
<button>Save</button></form></details>`;
}

function entities(
  entry: SubgraphVersion,
  tables: readonly EntityTable[],
  counts: EntityCounts | undefined,
): Html {
  const head = [
    html`<th scope="col">Entity</th>`,
    html`<th scope="col" class="number">Count</th>`,
    html`<th scope="col">Fields</th>`,
  ];
  const rows = tables.map((table) => {
    const count = counts?.get(table.name);
    return html`<tr id="entity-${table.name}">
<td><a href="${pageOf(entry)}/entities/${encodeURIComponent(table.name)}">${typeOf(table)}</a></td>
<td class="number">${count === undefined ? "…" : digits(count)}</td>
<td class="small soft">${table.columns.map(({ field }) => field).join(", ")}</td></tr>`;
  });
  return html`<h2 id="entities">Entities</h2>${wideTable(head, rows, "Entities", "high")}`;
}

function tagForm(entry: SubgraphVersion): Html {
  return html`<form class="line" method="post" action="${pageOf(entry)}/tags">
<label>Tag <input name="tag" required pattern="[a-zA-Z0-9][\\w+.\\-]*" maxlength="100" autocomplete="off"></label>
<button>Point this tag here</button></form>`;
}

/** The lines of a log as a table. */
export function logTable(lines: readonly LogLine[]): Html {
  const tone = { error: "bad", warn: "warn", info: "", debug: "soft" } as const;
  const rows = lines.map(
    ({ text, timestamp, level }) => html`<tr>
<td><time datetime="${new Date(timestamp).toISOString()}">${new Date(timestamp).toISOString().slice(0, 19).replace("T", " ")}</time></td>
<td class="${tone[level]}">${level}</td><td>${text}</td></tr>`,
  );
  const head = [html`<th>Time (UTC)</th>`, html`<th>Level</th>`, html`<th>Message</th>`];
  return wideTable(head, rows, "Log", "log");
}
