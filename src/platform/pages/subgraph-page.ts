import type { SubgraphVersion } from "../catalog/versions.js";
import type { HostedError, HostedStatus, LogLine } from "../hosting/engine.js";
import type { TableFacts } from "../tables/table-facts.js";
import { type Html, html } from "./html.js";
import { digits, figuresOf, pageOf, progressOf, stateOf, wideTable } from "./parts.js";

/** What is known of a version or a tag. */
export interface SubgraphFacts {
  readonly entry: SubgraphVersion;
  readonly status?: HostedStatus;
  /** Nothing when its tables cannot be read, or are not there yet. */
  readonly tables?: readonly TableFacts[];
  /** The last lines of its log, the latest first. */
  readonly lines: readonly LogLine[];
  readonly tags: readonly string[];
  readonly endpoints: { readonly public: string; readonly private: string };
  /** The address of a drawing of what it listens to and what it makes of that. */
  readonly map?: string;
  /** More, as other parts of the server show it. */
  readonly more: readonly (Html | undefined)[];
  /** Whether who looks may change something. */
  readonly mayChange: boolean;
}

/** The page of a version or a tag. */
export function subgraphPage(facts: SubgraphFacts): Html {
  const { entry, status, tables, lines, map, more } = facts;
  return html`<p class="row">${stateOf(entry, status)} <span class="soft">${entry.network}</span>
${entry.target !== undefined && html`<span>tag for <a href="${pageOf({ ...entry, version: entry.target })}">${entry.target}</a></span>`}
${facts.tags.map((tag) => html`<a class="tag" href="${pageOf({ ...entry, version: tag })}">${tag}</a>`)}</p>
${entry.description !== null && entry.description !== "" && html`<p>${entry.description}</p>`}
${progressOf(status)}
${figuresOf(status)}
${status && errorsOf(status)}
${facts.mayChange && entry.target === undefined && pausing(entry)}
${endpoints(facts)}
${tables && entities(entry, tables)}
${map !== undefined && html`<h2>Map</h2><div class="map"><a href="${map}"><img src="${map}" alt="Contracts, their events and calls, and the entities that are made of them"></a></div>`}
${more}
${facts.mayChange && entry.target === undefined && tagForm(entry)}
<h2>Log</h2>
${lines.length === 0 ? html`<p class="soft">There is nothing in the log.</p>` : logTable(lines)}
<p><a href="${pageOf(entry)}/log">The whole log</a></p>
<h2>Deployment</h2>
<dl><dt>Id</dt><dd class="mono">${entry.deployment}</dd>
<dt>Engine</dt><dd>${entry.engine}</dd>
<dt>Deployed</dt><dd><time datetime="${entry.createdAt.toISOString()}">${entry.createdAt.toISOString().slice(0, 19).replace("T", " ")}</time></dd>
${status && html`<dt>Start block</dt><dd>${digits(status.startBlock)}</dd>`}</dl>`;
}

function errorsOf({ fatalError, nonFatalErrors }: HostedStatus): Html {
  const fatal =
    fatalError &&
    html`<div class="notice bad" role="alert"><strong>It cannot go on${
      fatalError.block !== undefined && html` at block ${digits(fatalError.block)}`
    }${fatalError.handler !== undefined && html`, in ${fatalError.handler}`}.</strong>
<pre>${placed(fatalError)}</pre></div>`;
  const others =
    nonFatalErrors.length > 0 &&
    html`<details class="notice" id="errors"><summary>${nonFatalErrors.length} handlers failed</summary><ul>${nonFatalErrors.map(
      (error) =>
        html`<li>${error.block !== undefined && html`block ${digits(error.block)} `}${error.handler} <span class="mono">${placed(error)}</span></li>`,
    )}</ul></details>`;
  return html`${fatal}${others}`;
}

/** The message, with its place in the configuration or else in the mapping, as far as it is known. */
function placed({ message, place, configPlace = place }: HostedError): string {
  return configPlace === undefined ? message : `${configPlace}: ${message}`;
}

function pausing(entry: SubgraphVersion): Html {
  const [action, word] = entry.isPaused ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<form class="line" method="post" action="${pageOf(entry)}/${action}"><button id="pausing">${word}</button></form>`;
}

function endpoints({ entry, mayChange, endpoints: { public: open, private: closed } }: SubgraphFacts): Html {
  const off = html` <span class="soft">(off)</span>`;
  return html`<h2>Queries</h2>
<dl><dt>Public</dt><dd><a class="mono" href="${open}">${open}</a>${!entry.hasPublicEndpoint && off}</dd>
<dt>With a key</dt><dd><span class="mono">${closed}</span>${!entry.hasPrivateEndpoint && off}</dd></dl>
${mayChange && endpointForm(entry)}`;
}

function endpointForm(entry: SubgraphVersion): Html {
  const box = (name: string, text: string, isOn: boolean): Html =>
    html`<label class="box"><input type="checkbox" name="${name}"${isOn && html` checked`}> ${text}</label>`;
  return html`<details id="endpoints"><summary>Change</summary>
<form class="line" method="post" action="${pageOf(entry)}/endpoints">
${box("public", "Public", entry.hasPublicEndpoint)}
${box("private", "With a key", entry.hasPrivateEndpoint)}
<button>Save</button></form></details>`;
}

function entities(entry: SubgraphVersion, tables: readonly TableFacts[]): Html {
  const head = [
    html`<th>Entity</th>`,
    html`<th>Type</th>`,
    html`<th class="number">Rows</th>`,
    html`<th>Columns</th>`,
  ];
  const rows = tables.map(
    ({ table, type, rows: count, columns }) => html`<tr>
<td><a href="${pageOf(entry)}/entities/${encodeURIComponent(table)}">${table}</a></td><td>${type}</td>
<td class="number">${digits(count)}</td>
<td class="small soft">${columns.map(({ name }) => name).join(", ")}</td></tr>`,
  );
  return html`<h2>Entities</h2>${wideTable(head, rows, "Entities")}`;
}

function tagForm(entry: SubgraphVersion): Html {
  return html`<form class="line" method="post" action="${pageOf(entry)}/tags">
<label>Tag <input name="tag" required pattern="[a-zA-Z0-9][\\w+.\\-]*" maxlength="100" autocomplete="off"></label>
<button>Point it here</button></form>`;
}

/** Lines of a log. */
export function logTable(lines: readonly LogLine[]): Html {
  const tone = { error: "bad", warn: "warn", info: "", debug: "soft" } as const;
  const rows = lines.map(
    ({ text, timestamp, level }) => html`<tr>
<td><time datetime="${new Date(timestamp).toISOString()}">${new Date(timestamp).toISOString().slice(0, 19).replace("T", " ")}</time></td>
<td class="${tone[level]}">${level}</td><td>${text}</td></tr>`,
  );
  const head = [html`<th>Time (UTC)</th>`, html`<th>Level</th>`, html`<th>Text</th>`];
  return wideTable(head, rows, "Log", "log");
}
