import { type Html, html, wordsOf } from "../http/html.js";
import { pageOf } from "./addresses.js";
import type { Draft } from "./draft.js";
import type { Content } from "./page-scope.js";
import { changeOf, figuresOf, mistakesOf, progressOf, stateOf } from "./parts.js";
import type { Shown } from "./views.js";

/** The number of cards on a page. */
const cardsOfPage = 200;

/** The content of the overview. */
export interface OverviewFacts {
  /** Versions with the tags that point to them. Failed ones come first. */
  readonly shown: readonly Shown[];
  /** The number of the page, from 1. */
  readonly page: number;
  /** The address of the server. */
  readonly address: string;
  readonly draft?: Draft | undefined;
}

/** The deployed subgraphs with their progress, page by page, and the totals. */
export function overview({ shown, page, address, draft }: OverviewFacts): Content {
  const pages = Math.max(1, Math.ceil(shown.length / cardsOfPage));
  const at = Math.min(page, pages);
  const cards = shown.slice((at - 1) * cardsOfPage, at * cardsOfPage).map(card);
  const totals = totalsOf(shown);
  const failed = shown.filter(hasFailed).length;
  return {
    title: "Subgraphs",
    failures: failed,
    body: html`${mistakesOf(draft)}
${shown.length > 1 && html`<p class="soft">${totals}</p>`}
${shown.length === 0 ? emptyOverview(address) : html`<ul class="cards">${cards}</ul>`}
${pages > 1 && pageLinks(at, pages)}`,
    isLive: true,
    news: totals,
  };
}

/** `456 subgraphs: 3 failed, 453 synced` */
function totalsOf(shown: readonly Shown[]): Html {
  const counts = new Map<string, number>();
  for (const { entry, status } of shown) {
    const { markup } = wordsOf(stateOf(entry, status));
    counts.set(markup, (counts.get(markup) ?? 0) + 1);
  }
  const parts = [...counts].map(([word, count]) => `${count} ${word}`);
  return html`${shown.length} ${shown.length === 1 ? "subgraph" : "subgraphs"}: ${parts.join(", ")}`;
}

function hasFailed({ status }: Shown): boolean {
  return status?.health === "failed";
}

function pageLinks(at: number, pages: number): Html {
  const links = Array.from({ length: pages }, (_, index) => index + 1).map((page) =>
    page === at
      ? html`<li><a href="/?page=${page}" aria-current="page">${page}</a></li>`
      : html`<li><a href="/?page=${page}">${page}</a></li>`,
  );
  return html`<nav aria-label="Pages"><ol class="pages">${links}</ol></nav>`;
}

function card({ entry, title, status, tags, change }: Shown): Html {
  return html`<li class="card" id="card-${entry.name}/${entry.version}">
<h2><a href="${pageOf(entry)}">${title}</a></h2>
<p class="row">${stateOf(entry, status)} <span class="small soft">${entry.network}</span>
${tags.map((tag) => html`<a class="tag" href="${pageOf(tag)}">${tag.version}</a>`)}</p>
${progressOf(status)}
${figuresOf(status)}
${changeOf(change)}
${status?.fatalError && html`<p class="small bad">${status.fatalError.message.slice(0, 300)}</p>`}
</li>`;
}

function emptyOverview(address: string): Html {
  return html`<p>No subgraphs yet. To deploy one, run this command in the folder of your configuration:</p>
<pre>graphloom subgraph deploy pools/1.0.0 --from-abi subgraph.json --api-url ${address}/api/v1</pre>`;
}
