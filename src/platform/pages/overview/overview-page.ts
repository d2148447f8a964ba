import type { HostedStatus } from "../../../hosting/engine.js";
import type { ChainNode } from "../../figures/chain-nodes.js";
import { measure } from "../../figures/figure.js";
import { type Html, html } from "../../http/html.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { pageOf } from "../addresses.js";
import { lengthOf, rateOf } from "../charts/spans.js";
import type { Draft } from "../draft.js";
import type { Content } from "../page-scope.js";
import { changeOf, digits, mistakesOf, nodeWords, progressOf, stateOf, wideTable } from "../parts.js";
import { agoOf, sinceOf } from "../since.js";
import { webhookAddress } from "../subgraph/webhook-parts.js";
import type { Shown } from "../views.js";
import { type Arranged, arrange } from "./arrange.js";
import { type AskedOverview, orders, overviewAddress, type Standing, standings } from "./asked-overview.js";
import type { OverviewRow } from "./overview-row.js";

/** The most versions that a fold lists. A link leads to all of them. */
const mostListed = 10;

/** The content of the overview. */
export interface OverviewFacts {
  /** Versions with the tags that point to them. */
  readonly shown: readonly Shown[];
  readonly asked: AskedOverview;
  readonly nodes: readonly ChainNode[];
  /** Webhooks whose receivers are down. */
  readonly down: readonly Webhook[];
  /** Webhooks with attempts that failed in the last day, and the number of these attempts. */
  readonly failing: readonly (readonly [Webhook, number])[];
  /** Queries per second to all of them, if they are counted. */
  readonly queriesPerSecond?: number | undefined;
  /** Small charts of the events and the queries per second of all of them in the last hour, if they are measured. */
  readonly totalCharts?: { readonly events: Html; readonly queries?: Html | undefined } | undefined;
  /** The last hour of a deployment in small charts, if it is measured. */
  readonly lastHour?: ((deployment: string) => Html | undefined) | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The address of the server. */
  readonly address: string;
  readonly draft?: Draft | undefined;
}

/** The names of states. Each is a part of `601 subgraphs: 600 starting, 1 catching up`. */
const names: Readonly<Record<Standing, readonly [name: string, tone: string]>> = {
  failed: ["failed", "bad"],
  waiting: ["waiting", "warn"],
  errors: ["with errors", "warn"],
  indexing: ["catching up", "busy"],
  paused: ["paused", "soft"],
  synced: ["synced", "good"],
  starting: ["starting", "soft"],
};

/** The most characters of an error in a row. The page of the subgraph shows the whole error. */
const longestError = 160;

/** The deployed subgraphs as a table, the number of each state, and the nodes of their chains. */
export function overview(facts: OverviewFacts): Content {
  const { shown, asked, nodes, address, draft, now } = facts;
  const arranged = arrange(shown, asked, now);
  const failures = arranged.counts.get("failed") ?? 0;
  return {
    title: "Subgraphs",
    failures,
    body:
      shown.length === 0
        ? html`${mistakesOf(draft)}${emptyOverview(address)}`
        : html`${mistakesOf(draft)}
${!draft && totals(arranged, asked, shown.length)}
${!draft && rates(facts)}
${nodeList(nodes, now)}
${shown.length > 1 && !draft && filters(arranged, asked)}
${arranged.rows.length === 0 ? html`<p>No subgraph matches. <a href="/">Show all</a></p>` : table(arranged, facts)}
${arranged.pages > 1 && pageLinks(arranged, asked)}`,
    isLive: true,
    news: newsOf(arranged, shown.length),
  };
}

/** `456 subgraphs: 3 failed, 453 healthy` */
function newsOf({ counts }: Arranged, all: number): string {
  const parts = standings.flatMap((each) => {
    const count = counts.get(each);
    return count === undefined ? [] : [`${digits(count)} ${names[each][0]}`];
  });
  return `${digits(all)} ${all === 1 ? "subgraph" : "subgraphs"}: ${parts.join(", ")}`;
}

/** Each state with its number, as a link to its subgraphs. */
function totals({ counts }: Arranged, asked: AskedOverview, all: number): Html {
  const link = (state: Standing | "", count: number, word: Html): Html =>
    html`<li><a href="${overviewAddress({ ...asked, state, page: 1 })}"${state === asked.state && html` aria-current="true"`}><span class="number">${digits(count)}</span> ${word}</a></li>\n`;
  return html`<nav aria-label="States"><ul class="totals">
${link("", all, html`all`)}${standings.map((each) => {
  const [name, tone] = names[each];
  const count = counts.get(each) ?? 0;
  return count > 0 && link(each, count, html`<span class="state ${tone}">${name}</span>`);
})}</ul></nav>`;
}

/** Events and queries per second, the receivers that are down, and the deliveries that fail. */
function rates({ shown, queriesPerSecond, totalCharts, down, failing }: OverviewFacts): Html | undefined {
  const events = Math.round(shown.reduce((sum, { status }) => sum + (status?.handlersPerSecond ?? 0), 0));
  const parts = [
    (events > 0 || totalCharts) &&
      html`<span class="number">${digits(events)} events/s ${totalCharts?.events}</span>`,
    queriesPerSecond !== undefined &&
      html`<span class="number">${rateOf(queriesPerSecond)} queries/s ${totalCharts?.queries}</span>`,
    down.length > 0 &&
      html`<span><span class="state bad">${digits(down.length)} ${down.length === 1 ? "webhook receiver" : "webhook receivers"} down</span>: ${receivers(down)}</span>`,
    failing.length > 0 && failures(failing),
  ];
  return html`<p class="row small">${parts}</p>`;
}

/** `12 failed attempts to deliver in 24 hours: swaps` */
function failures(failing: OverviewFacts["failing"]): Html {
  const attempts = failing.reduce((sum, [, count]) => sum + count, 0);
  return html`<span><span class="state warn">${digits(attempts)} failed ${attempts === 1 ? "attempt" : "attempts"} to deliver</span> in 24 hours: ${receivers(failing.map(([webhook]) => webhook))}</span>`;
}

/** The most receivers that are named. */
const mostNamed = 5;

function receivers(down: readonly Webhook[]): Html {
  const links = down
    .slice(0, mostNamed)
    .map(
      (webhook, at) =>
        html`${at > 0 && ", "}<a href="${webhookAddress(pageOf({ name: webhook.subgraph, version: webhook.version }), webhook)}">${webhook.name}</a>`,
    );
  return html`${links}${down.length > mostNamed && ` and ${digits(down.length - mostNamed)} more`}`;
}

function filters({ chains, tags }: Arranged, asked: AskedOverview): Html {
  const { search, state, chain, tag, order } = asked;
  const choice = (name: string, label: string, chosen: string, values: readonly string[]): Html | false =>
    (values.length > 1 || chosen !== "") &&
    html`<label>${label} <select name="${name}"><option value="">all</option>${[
      ...new Set([...values, ...(chosen === "" ? [] : [chosen])]),
    ].map((each) => html`<option${each === chosen && html` selected`}>${each}</option>`)}</select></label>`;
  return html`<form class="line" method="get" action="/" role="search">
<label>Search <input type="search" id="search" name="q" value="${search}" maxlength="200" placeholder="Name, tag or deployment" autocomplete="off"></label>
${choice("chain", "Chain", chain, chains)}
${choice("tag", "Tag", tag, tags)}
<label>Order <select name="sort">${orders.map(
    ([value, text]) => html`<option value="${value}"${value === order && html` selected`}>${text}</option>`,
  )}</select></label>
${state !== "" && html`<input type="hidden" name="state" value="${state}">`}
<button>Show</button>
${overviewAddress({ ...asked, page: 1 }) !== "/" && html`<a href="/">Show all</a>`}
</form>`;
}

function table({ rows }: Arranged, facts: OverviewFacts): Html {
  const hasCharts = facts.lastHour !== undefined;
  const head = [
    html`<th scope="col">Subgraph</th>`,
    html`<th scope="col">State</th>`,
    html`<th scope="col">Chain</th>`,
    html`<th scope="col" class="number">Blocks behind</th>`,
    html`<th scope="col" class="number">Block</th>`,
    html`<th scope="col" class="number">Events/s</th>`,
    ...(hasCharts ? [html`<th scope="col">Last hour</th>`] : []),
  ];
  return wideTable(
    head,
    rows.map(
      (row) =>
        html`${rowOf(row, facts)}${row.older && olderVersions(row.entry.name, row.older, facts.asked, head.length)}`,
    ),
    "Subgraphs",
    "overview",
  );
}

function rowOf(row: OverviewRow, { nodes, now, lastHour }: OverviewFacts): Html {
  const { entry, title, status, tags, change, lag, isBehind } = row;
  const { headBlock, handlersPerSecond: rate = 0 } = status ?? {};
  const chain = nodes.find(({ network }) => network === entry.network);
  const { lagSeconds = 0 } = measure(entry.isPaused, status, chain);
  return html`<tr id="row-${entry.name}/${entry.version}">
<th scope="row"><a href="${pageOf(entry)}">${titleHtml(row, title)}</a>
${tags.map((tag) => html`<a class="tag" href="${pageOf(tag)}">${tag.version}</a> `)}</th>
<td>${stateCell(row, now)}${changeOf(change)}</td>
<td>${entry.network}</td>
<td class="number ${isBehind && "warn"}">${lag !== undefined && html`${digits(lag)}${lag > 0 && lagSeconds > 0 && html`<br><span class="small soft">${lengthOf(lagSeconds * 1000)}</span>`}`}</td>
<td class="number">${headBlock !== undefined && digits(headBlock)}</td>
<td class="number">${Math.round(rate) > 0 && digits(Math.round(rate))}</td>
${lastHour && html`<td>${lastHour(entry.deployment)}</td>`}</tr>
`;
}

/** The title, in which the name is softer below another version of the same subgraph. */
function titleHtml({ entry: { name, version }, isFollowing = false }: OverviewRow, title: string): Html {
  if (title !== `${name}/${version}`) return html`<strong>${title}</strong>`;
  return isFollowing
    ? html`<span class="soft">${name}/</span>${version}`
    : html`<strong>${name}</strong>/${version}`;
}

/** The state with its reason in one line: since when, in which block, and why. */
function stateCell({ entry, status, standing }: OverviewRow, now: number): Html {
  const since = sinceWhen(status);
  return html`${stateOf(entry, status)}${since !== undefined && html` <span class="small">${sinceOf(since, now)}</span>`}
${standing === "indexing" && progressOf(status)}
${status && reasonOf(status)}`;
}

function sinceWhen(status: HostedStatus | undefined): number | undefined {
  const { fatalError, nodeState, engineState, waitsSince } = status ?? {};
  if (fatalError) return fatalError.failingSince ?? fatalError.failedAt;
  return (engineState ?? nodeState)?.since ?? waitsSince;
}

function reasonOf(status: HostedStatus): Html | undefined {
  const { fatalError, nodeState, engineState, hold, waitsFor } = status;
  if (fatalError) {
    const { block, message } = fatalError;
    return html`<p class="small bad reason">${block !== undefined && `Block ${digits(block)}: `}${shortened(message)}</p>`;
  }
  const why = engineState?.why ?? nodeState?.why ?? hold?.why ?? waitsFor;
  return why === undefined ? undefined : html`<p class="small warn reason">${shortened(why)}</p>`;
}

function shortened(text: string): string {
  const [line = ""] = text.split("\n");
  return line.length > longestError || line.length < text.length ? `${line.slice(0, longestError)}…` : line;
}

function pageLinks({ page, pages }: Arranged, asked: AskedOverview): Html {
  const links = Array.from({ length: pages }, (_, index) => index + 1).map(
    (each) =>
      html`<li><a href="${overviewAddress({ ...asked, page: each })}"${each === page && html` aria-current="page"`}>${each}</a></li>`,
  );
  return html`<nav aria-label="Pages"><ol class="pages">${links}</ol></nav>`;
}

function emptyOverview(address: string): Html {
  return html`<p>No subgraphs yet. To deploy one, run this command in the folder of your configuration:</p>
<pre>graphloom subgraph deploy pools/1.0.0 --from-abi subgraph.json --api-url ${address}/api/v1</pre>`;
}

/** Nodes in one line each, with the age of the chain's head. @param now milliseconds since 1970 */
function nodeList(nodes: readonly ChainNode[], now: number): Html | undefined {
  if (nodes.length === 0) return undefined;
  return html`<ul class="chains" aria-label="Nodes of the chains">
${nodes.map((node) => html`<li id="chain-${node.network}">${nodeLine(node, now)}</li>\n`)}</ul>`;
}

function nodeLine({ network, head, headAt, state }: ChainNode, now: number): Html {
  const block = head !== undefined && html` <span class="soft number">block ${digits(head)}</span>`;
  if (state) {
    const since = state.since !== undefined && html` ${sinceOf(state.since, now)}`;
    const tone = state.kind === "stuck" ? "soft" : "bad";
    return html`<span class="state ${tone}">${network}</span> <strong>${nodeWords[state.kind]}</strong>${since}${block}`;
  }
  const age = headAt !== undefined && html` <span class="soft">${agoOf(headAt, now)}</span>`;
  return html`<span class="state good">${network}</span>${block}${age}`;
}

/** A row with the folded versions of a name. @param columns of the table */
function olderVersions(
  name: string,
  older: readonly OverviewRow[],
  asked: AskedOverview,
  columns: number,
): Html {
  const listed = older.slice(0, mostListed);
  const all = overviewAddress({ ...asked, search: `${name}/`, order: "newest", page: 1 });
  return html`<tr class="older" id="older-row-${name}"><td colspan="${columns}"><details id="older-${name}"><summary>${digits(older.length)} older ${older.length === 1 ? "version" : "versions"} of ${name}</summary>
<ul>${listed.map(
    ({ entry, status }) =>
      html`<li><a href="${pageOf(entry)}">${name}/${entry.version}</a> ${stateOf(entry, status)}</li>\n`,
  )}</ul>
${older.length > listed.length && html`<p><a href="${all}">All versions of ${name}</a></p>`}</details></td></tr>
`;
}
