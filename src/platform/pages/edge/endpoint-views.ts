import { dataBase } from "../../edge/data-routes.js";
import type { EdgeCount, EdgeEndpoint } from "../../edge/edge-endpoints.js";
import { edgeNameInPath } from "../../edge/edge-names.js";
import { type Html, html } from "../../http/html.js";
import { copiedText, copyButton } from "../copy-button.js";
import { digits, wideTable } from "../parts.js";
import { momentOf } from "../times.js";
import {
  budgetWords,
  changeForms,
  endpointsAddress,
  newEndpointForm,
  productWords,
} from "./endpoint-forms.js";

type Sum = Pick<EdgeCount, "requests" | "errors">;

/** The address of the page of an endpoint. */
export function endpointAddress(name: string): string {
  return `${endpointsAddress}/${edgeNameInPath(name)}`;
}

/** What the page of all endpoints shows besides the list. */
export interface EndpointListFacts {
  readonly mayChange: boolean;
  readonly hasDataService: boolean;
  readonly isFirst: boolean;
  /** The last name on this page, after which the next page continues. */
  readonly next?: string;
  /** The requests of the last 24 hours, by name. */
  readonly counts: ReadonlyMap<string, Sum>;
}

/** The endpoints of a project. */
export function endpointList(endpoints: readonly EdgeEndpoint[], facts: EndpointListFacts): Html {
  const { mayChange, hasDataService, isFirst, next, counts } = facts;
  const making = mayChange && newEndpointForm(hasDataService);
  if (endpoints.length === 0 && isFirst)
    return html`<p>No endpoints yet. An endpoint puts a key, a limit and allowed domains in front of this server's chain nodes${hasDataService && " or of its data service"}, so that web pages and programs can use them.</p>
<p class="soft">Queries of subgraphs need none: the tab Query of a subgraph shows their addresses.</p>${making}`;
  const rows = endpoints.map((endpoint) => {
    const { name, product, budget } = endpoint;
    const { requests, errors } = counts.get(name) ?? { requests: 0, errors: 0 };
    return html`<tr><th scope="row"><a href="${endpointAddress(name)}">${name}</a></th>
<td>${stateOf(endpoint)}</td><td>${productWords[product]}</td><td>${budgetWords(budget)}</td>
<td class="number">${digits(requests)}</td><td class="number ${errors > 0 && "bad"}">${digits(errors)}</td></tr>`;
  });
  const head = [
    ...["Name", "State", "Access to", "Limit"].map((text) => html`<th scope="col">${text}</th>`),
    ...["Requests in 24 h", "Failed"].map((text) => html`<th scope="col" class="number">${text}</th>`),
  ];
  return html`${making}${wideTable(head, rows, "Endpoints")}
<p class="row">${!isFirst && html`<a href="${endpointsAddress}">First endpoints</a>`}${next !== undefined && html`<a href="?after=${encodeURIComponent(next)}">More endpoints</a>`}</p>`;
}

function stateOf({ pausedAt }: EdgeEndpoint): Html {
  return pausedAt
    ? html`<span class="state soft">paused</span>`
    : html`<span class="state good">active</span>`;
}

/** What the page of an endpoint shows besides the endpoint. */
export interface EndpointFacts {
  readonly mayChange: boolean;
  /** The address of this server. */
  readonly server: string;
  /** The networks for which this server has nodes. */
  readonly networks: readonly string[];
  readonly hasDataService: boolean;
  /** Whether the data service is part of this server, which then has an explorer. */
  readonly hasExplorer: boolean;
  readonly count: Sum;
  /** Its key, if the page shows it now. */
  readonly key: string | undefined;
}

/** An endpoint with its addresses, and the forms that change it. */
export function endpointPage(endpoint: EdgeEndpoint, facts: EndpointFacts): Html {
  const { name, product, budget, domains, createdAt, updatedAt, pausedAt } = endpoint;
  const { mayChange, count, key } = facts;
  const own = endpointAddress(name);
  return html`${key !== undefined && shownKey(key)}
<p class="row">${stateOf(endpoint)}${pausedAt && html` <span class="soft">since ${momentOf(pausedAt)}</span>`}</p>
<dl><dt>Access to</dt><dd>${productWords[product]}</dd>
<dt>Limit</dt><dd>${budgetWords(budget)}</dd>
<dt>Web pages</dt><dd>${domains.length === 0 ? "of all domains" : domains.join(", ")}</dd>
<dt>Last 24 hours</dt><dd>${digits(count.requests)} requests, ${digits(count.errors)} failed</dd>
<dt>Created</dt><dd>${momentOf(createdAt)}</dd>
<dt>Changed</dt><dd>${momentOf(updatedAt)}</dd></dl>
${mayChange && changeForms(endpoint, own)}
<h2>Key</h2>
<form method="post" action="${own}/key"><button>Show the key</button></form>
<p class="soft small">The audit log records who looked at it. Clients send it as <code>Authorization: Bearer &lt;key&gt;</code>, in the header <code>x-api-key</code>, or as <code>?secret=&lt;key&gt;</code>. To replace a key, create another endpoint, and delete this one.</p>
<h2>Addresses</h2>
${product === "rpc" ? nodeAddresses(facts) : dataAddresses(facts)}`;
}

/** The key of an endpoint. */
export function shownKey(key: string): Html {
  return html`<div class="notice" role="status"><strong>The key of the endpoint.</strong> Reload the page to hide it.
${copiedText("endpoint-key", key, "the key")}</div>`;
}

/** The most networks whose addresses are listed. */
const mostNetworks = 200;

function nodeAddresses({ server, networks }: EndpointFacts): Html {
  const [first] = networks;
  if (first === undefined)
    return html`<p>This server has no nodes. Start it with <code>--rpc &lt;network&gt;=&lt;address&gt;</code>.</p>`;
  const of = (network: string): string => `${server}/edge/rpc/${encodeURIComponent(network)}`;
  const rows = networks
    .slice(0, mostNetworks)
    .map(
      (network) =>
        html`<dt>${network}</dt><dd>${addressOf(`address-${network}`, of(network), `the address of ${network}`)}</dd>`,
    );
  return html`<div class="connect"><dl>${rows}</dl></div>${networks.length > mostNetworks && html`<p class="soft">and ${digits(networks.length - mostNetworks)} more networks</p>`}
${example(`curl ${of(first)} \\
  -H 'content-type: application/json' \\
  -H "authorization: Bearer $KEY" \\
  -d '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'`)}`;
}

function dataAddresses({ server, hasDataService, hasExplorer }: EndpointFacts): Html {
  if (!hasDataService)
    return html`<p class="notice bad">This server has no data service, so the key gives access to nothing. Start the server with <code>--data-service</code>.</p>`;
  const base = `${server}${dataBase}`;
  return html`<div class="connect"><dl><dt>Base</dt><dd>${addressOf("address-data", base, "the base address")}</dd>
<dt>Description</dt><dd>${addressOf("address-openapi", `${base}/openapi.json`, "the address of the OpenAPI document")}</dd></dl></div>
${hasExplorer && html`<p>Try its operations in the <a href="${dataBase}/docs">explorer</a>, with the key above.</p>`}
${example(`curl ${base}/status \\
  -H "authorization: Bearer $KEY"`)}`;
}

function addressOf(id: string, text: string, what: string): Html {
  return html`<span class="mono" id="${id}">${text}</span> ${copyButton(id, what)}`;
}

function example(text: string): Html {
  return copiedText("example", text, "the command");
}
