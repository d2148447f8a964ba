import type { NodeFailure } from "../../../base/meters.js";
import type { ArchivedChainReading, ArchiveReading } from "../../../hosting/engine.js";
import type { MinuteOfRequests, NodeCount } from "../../figures/node-counts.js";
import { lastHour } from "../../figures/ranges.js";
import type { ChainReading, NodeReading } from "../../figures/read-nodes.js";
import { type Html, html } from "../../http/html.js";
import { pageOf } from "../addresses.js";
import { areaPath } from "../charts/paths.js";
import { millisecondsOf } from "../charts/spans.js";
import { overviewAddress } from "../overview/asked-overview.js";
import type { Content } from "../page-scope.js";
import { digits, nodeWords, wideTable } from "../parts.js";
import { pipelinePageOf } from "../pipelines/pipeline-words.js";
import { agoOf, sinceOf } from "../since.js";

const size = { width: 60, height: 16 };

/** The outcomes from the bottom of the chart up, with the words for them. */
const outcomes = [
  ["answered", "answered"],
  ["limited", "throttled"],
  ["failed", "failed"],
] as const;

/** The most ranges of blocks and the most reasons that a chain shows. */
const mostRanges = 3;

const mostReasons = 5;

/** The most chains on the page, and the most subgraphs and pipelines that a chain names. */
const mostChains = 200;
const mostNamed = 5;

/** The outcome of the last request to a node, in words. */
const outcomeWords: Readonly<Record<NodeCount["last"], readonly [word: string, tone: string]>> = {
  answered: ["answers", "good"],
  limited: ["throttles", "warn"],
  refused: ["refuses", "warn"],
  away: ["does not answer", "bad"],
};

/**
 * The chains of a server with their nodes, those with problems first, and what its archives have.
 * @param now milliseconds since 1970
 */
export function nodePage(
  chains: readonly ChainReading[],
  now: number,
  archives: readonly ArchiveReading[] = [],
): Content {
  const failures = chains.filter(({ state }) => state).length;
  const news = `${chains.length} ${chains.length === 1 ? "chain" : "chains"}${failures > 0 ? `, ${failures} with a problem` : ""}`;
  return {
    title: "Nodes",
    failures,
    isLive: true,
    news,
    body: html`${chains.length === 0 ? noNodes : table(chains, now)}
${chains.length > mostChains && html`<p class="soft">and ${digits(chains.length - mostChains)} more chains</p>`}
${archiveSection(archives)}`,
  };
}

const noNodes = html`<p>This server has no nodes. Indexing reads a chain from its nodes, which the server is started with:</p>
<pre>graphloom serve --rpc mainnet=https://…</pre>`;

function table(chains: readonly ChainReading[], now: number): Html {
  const head = [
    ...["Chain", "Latest block", "Used by", "Node"].map((text) => html`<th scope="col">${text}</th>`),
    ...["Requests", "Failed", "Throttled"].map((text) => html`<th scope="col" class="number">${text}</th>`),
  ];
  const groups = chains.slice(0, mostChains).flatMap((chain) => rowsOf(chain, now));
  return html`${wideTable(head, groups, "Nodes", "chain-nodes")}
<p class="small soft">The numbers are of the last hour, and of this server alone. A request may hold many calls. The nodes of a chain are asked in this order: if one does not answer, the next one is asked. The answers of a node of another chain are not used.</p>`;
}

/** A row for each node. The first one describes the chain, too. */
function rowsOf(chain: ChainReading, now: number): readonly Html[] {
  const { network, nodes } = chain;
  const span = Math.max(1, nodes.length);
  const own = html`<th scope="row" rowspan="${span}">${network}${chain.chainId !== undefined && html`<br><span class="small soft">chain ${chain.chainId}</span>`}</th>
<td rowspan="${span}">${headOf(chain, now)}</td>
<td rowspan="${span}">${usersOf(chain)}</td>`;
  if (nodes.length === 0)
    return [
      html`<tr id="chain-${network}">${own}<td colspan="4" class="soft">This server has no node of this chain. Another program indexes it.</td></tr>\n`,
    ];
  return nodes.map(
    (node, at) => html`<tr id="node-${network}-${at}">${at === 0 && own}${nodeCells(node, now)}</tr>\n`,
  );
}

function headOf({ head, headAt, state }: ChainReading, now: number): Html {
  const block = head !== undefined && html`<span class="number">${digits(head)}</span>`;
  const age = headAt !== undefined && html`<br><span class="small soft">${agoOf(headAt, now)}</span>`;
  if (!state && !block) return html`<span class="soft">nothing follows it</span>`;
  if (!state) return html`${block}${age}`;
  const since = state.since !== undefined && html` <span class="small">${sinceOf(state.since, now)}</span>`;
  const [tone, reason] = state.kind === "stuck" ? ["soft", "soft"] : ["bad", "warn"];
  return html`<span class="state ${tone}">${nodeWords[state.kind]}</span>${since}<br>${block}${age}
<p class="small ${reason} reason">${state.why}</p>`;
}

function usersOf(chain: ChainReading): Html {
  const { subgraphs, pipelines, isOfData } = chain;
  const users = [
    ...(subgraphs.length > 0 ? [subgraphsOf(chain)] : []),
    ...(pipelines.length > 0 ? [pipelinesOf(chain)] : []),
    ...(isOfData ? [html`<a href="/data">the data service</a>`] : []),
  ];
  if (users.length === 0) return html`<span class="soft">nothing</span>`;
  return html`${users.map((user) => html`<div>${user}</div>`)}`;
}

function pipelinesOf({ pipelines }: ChainReading): Html {
  const links = pipelines
    .slice(0, mostNamed)
    .map((name, at) => html`${at > 0 && ", "}<a href="${pipelinePageOf({ name })}">${name}</a>`);
  const more = pipelines.length - mostNamed;
  return html`${pipelines.length === 1 ? "pipeline" : "pipelines"} ${links}${more > 0 && html` and <a href="/pipelines">${digits(more)} more</a>`}`;
}

function subgraphsOf({ network, subgraphs }: ChainReading): Html {
  const links = subgraphs.slice(0, mostNamed).map((full, at) => {
    const [name = "", version = ""] = full.split("/");
    return html`${at > 0 && ", "}<a href="${pageOf({ name, version })}">${full}</a>`;
  });
  const all = overviewAddress({ search: "", state: "", tag: "", order: "", page: 1, chain: network });
  const more = subgraphs.length - mostNamed;
  return html`${links}${more > 0 && html` and <a href="${all}">${digits(more)} more</a>`}`;
}

function nodeCells(node: NodeReading, now: number): Html {
  const { count, setAside } = node;
  if (!count) {
    const state = html`<span class="state soft">not asked</span>`;
    return html`${nodeCell(node, setAside === undefined ? state : strange(setAside), now)}<td colspan="3"></td>`;
  }
  const { answered, limited, refused, away } = count.requests;
  const [word, tone] = outcomeWords[count.last];
  const failed = refused + away;
  const mean = count.meanSeconds;
  const state = html`<span class="state ${tone}">${word}</span>${mean !== undefined && html` <span class="small soft">${millisecondsOf(mean * 1000)} on average</span>`}`;
  return html`${nodeCell(node, setAside === undefined ? state : strange(setAside), now)}
<td class="number">${digits(answered + limited + failed)}${nodeChart(count.minutes, now)}</td>
<td class="number ${failed > 0 && "bad"}">${digits(failed)}</td>
<td class="number ${limited > 0 && "warn"}">${digits(limited)}</td>`;
}

/** The state of a node whose answers are not used. */
function strange(why: string): Html {
  return html`<span class="state bad">another chain</span><p class="small warn reason">${why}.</p>`;
}

/** A node, its state, and the reason of its last failure to answer. */
function nodeCell({ name, addresses, count, failureOfData }: NodeReading, state: Html, now: number): Html {
  return html`<td><span class="mono">${hostOf(name)}</span>${addresses > 1 && html` <span class="soft">(${addresses} addresses)</span>`}<br>${state}
${failureHtml("Last failure", count?.failure, now)}${failureHtml("Last failure for the data service", failureOfData, now)}</td>`;
}

function failureHtml(what: string, failure: NodeFailure | undefined, now: number): Html | undefined {
  return failure && html`<p class="small soft reason">${what}, ${agoOf(failure.at, now)}: ${failure.why}</p>`;
}

function hostOf(origin: string): string {
  return origin.replace(/^https?:\/\//, "");
}

/** The contents of the server's archives for each chain, their set-aside segments, and what to do about these. */
function archiveSection(archives: readonly ArchiveReading[]): Html | undefined {
  if (archives.length === 0) return undefined;
  const chains = archives.flatMap((archive) => archive.chains);
  const unreadable = archives.find((archive) => archive.unreadable !== undefined)?.unreadable;
  return html`<section id="archive"><h2>Archive</h2>
${unreadable !== undefined && html`<p class="bad">The folder of the archive cannot be read (${unreadable}). Subgraphs and pipelines ask the nodes instead. Give the server the right to read and write the folder that <code>--archive</code> names.</p>`}
${chains.length > 0 ? chainTable(chains) : unreadable === undefined && html`<p class="soft">The archive is empty. What is read of the chains enters it once it is final.</p>`}
</section>`;
}

function chainTable(chains: readonly ArchivedChainReading[]): Html {
  const head = [
    ...["Chain", "Blocks", "State"].map((text) => html`<th scope="col">${text}</th>`),
    ...["Final to", "Size"].map((text) => html`<th scope="col" class="number">${text}</th>`),
  ];
  const hasAside = chains.some(({ aside }) => aside.length > 0);
  return html`${wideTable(head, chains.map(rowOf), "Archive", "archive-chains")}
<p class="small soft">The archive keeps what was read of final blocks and does not contradict their headers. Whether it is whole, and which of it is proved by hashes and which is only believed, says <code>graphloom archive verify</code>.</p>
${hasAside && html`<p class="small">What was set aside is not used. The server reads it from the nodes again when it is needed, so there is nothing to repair. To delete the files that were set aside: <code>graphloom archive prune --damaged</code></p>`}`;
}

function rowOf({ chainId, networks, ranges, aside, final, bytes }: ArchivedChainReading, at: number): Html {
  const shown = ranges.slice(0, mostRanges).map(({ from, to }) => `${digits(from)} to ${digits(to)}`);
  const more = ranges.length - mostRanges;
  return html`<tr id="archive-${at}"><th scope="row">${networks.join(", ") || `chain ${chainId}`}${networks.length > 0 && html`<br><span class="small soft">chain ${chainId}</span>`}</th>
<td>${shown.length > 0 ? shown.join(", ") : "none"}${more > 0 && ` and ${digits(more)} more ranges`}</td>
<td>${stateOf(aside)}</td>
<td class="number">${final === undefined ? "–" : digits(final)}</td>
<td class="number">${digits(Math.ceil(bytes / 1_048_576))} MB</td></tr>
`;
}

function stateOf(aside: ArchivedChainReading["aside"]): Html {
  if (aside.length === 0) return html`<span class="state good">in use</span>`;
  const reasons = aside
    .slice(-mostReasons)
    .map(
      ({ kind, from, to, why }) =>
        html`<p class="small warn reason">${kind} of blocks ${digits(from)} to ${digits(to)}: ${why}</p>`,
    );
  const others = aside.length - mostReasons;
  return html`<span class="state warn">${digits(aside.length)} ${aside.length === 1 ? "segment" : "segments"} set aside</span>${reasons}${others > 0 && html`<p class="small soft">and ${digits(others)} before them</p>`}`;
}

/**
 * The requests to a node in the last hour, by minute: answered, throttled and failed ones on top of each
 * other. The table around it has the sums.
 * @param now milliseconds since 1970
 */
export function nodeChart(minutes: readonly MinuteOfRequests[], now: number): Html {
  const { from, to, step } = lastHour(now);
  const columns = Array.from({ length: Math.round((to - from) / step) }, () => ({
    answered: 0,
    limited: 0,
    failed: 0,
  }));
  for (const { at, requests } of minutes) {
    const column = columns[Math.floor((at - from) / step)];
    if (!column) continue;
    column.answered += requests.answered;
    column.limited += requests.limited;
    column.failed += requests.refused + requests.away;
  }
  const totals = columns.map(({ answered, limited, failed }) => answered + limited + failed);
  const most = Math.max(0, ...totals);
  const worst = Math.max(0, ...columns.map(({ failed }) => failed));
  // Each area reaches from the edge to its top. The next one covers all but its visible part.
  const areas = outcomes.map(([name], index) => {
    const below = outcomes.slice(0, index + 1).map(([each]) => each);
    const tops = columns.map((column) =>
      column[name] === 0 ? undefined : below.reduce((sum, each) => sum + column[each], 0),
    );
    const area = areaPath(tops, most, size.height);
    return area !== "" && html`<path class="${name}" d="${area}"/>`;
  });
  const words = `Requests in the last hour: at most ${digits(most)} a minute${worst > 0 ? `, of which at most ${digits(worst)} failed` : ", none failed"}`;
  return html`<svg class="spark requests" role="img" width="${size.width}" height="${size.height}" viewBox="0 0 ${columns.length} ${size.height}" preserveAspectRatio="none"><title>${words}</title>${areas.toReversed()}</svg>`;
}
