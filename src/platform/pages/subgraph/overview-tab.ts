import type { HostedError, HostedStatus } from "../../../hosting/engine.js";
import { type Html, html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { queryAddresses } from "../../subgraphs/query-addresses.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { createHistories } from "../charts/histories.js";
import { historyChart } from "../charts/history-chart.js";
import type { Draft } from "../draft.js";
import { changeOf, digits, figuresOf, progressOf } from "../parts.js";
import { readChange } from "../views.js";
import { connectBox } from "./connect-box.js";
import type { TabScope } from "./tab-scope.js";

/** Adds the tab with the state of a version or a tag, its failures, and how to query it. */
export function addOverviewTab(tabs: TabScope, platform: Platform, draft?: Draft): void {
  const historyOf = createHistories(platform);
  tabs.get("overview", "", async ({ entry, status, mayChange, base, request, query }) => {
    const change = draft && (await readChange(platform, entry, request.log));
    const { description } = entry;
    const body = html`${description !== null && description !== "" && html`<p>${description}</p>`}
${progressOf(status)}
${figuresOf(status)}
${changeOf(change)}
${status && errorsOf(status)}
${mayChange && entry.target === undefined && pausing(entry, base)}
${historyChart(await historyOf(entry, query.get("range")), base)}
${connectBox(entry, queryAddresses(entry, platform.settings.address()))}
${deployment(entry, status)}`;
    return { body, isLive: true };
  });
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

function pausing({ isPaused }: SubgraphVersion, base: string): Html {
  const [action, word] = isPaused ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<form class="line" method="post" action="${base}/${action}"><button id="pausing">${word}</button></form>`;
}

function deployment(entry: SubgraphVersion, status: HostedStatus | undefined): Html {
  return html`<h2 id="deployment">Deployment</h2>
<dl><dt>ID</dt><dd class="mono">${entry.deployment}</dd>
<dt>Engine</dt><dd>${entry.engine}</dd>
<dt>Deployed</dt><dd><time datetime="${entry.createdAt.toISOString()}">${entry.createdAt.toISOString().slice(0, 19).replace("T", " ")}</time></dd>
${status && html`<dt>Start block</dt><dd>${digits(status.startBlock)}</dd>`}</dl>`;
}
