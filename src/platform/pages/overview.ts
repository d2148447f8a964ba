import { type Html, html } from "./html.js";
import { figuresOf, pageOf, progressOf, stateOf } from "./parts.js";
import type { Shown } from "./views.js";

/** What is deployed, and how far it is. @param address of the server */
export function overview(shown: readonly Shown[], address: string): Html {
  if (shown.length === 0) return emptyOverview(address);
  const versions = shown.filter(({ entry }) => entry.target === undefined);
  const tags = shown.filter(({ entry }) => entry.target !== undefined);
  return html`<ul class="cards">${versions.map((one) => card(one, tagsFor(one, tags)))}</ul>`;
}

function tagsFor({ entry }: Shown, tags: readonly Shown[]): readonly Shown[] {
  return tags.filter((tag) => tag.entry.name === entry.name && tag.entry.target === entry.version);
}

function card({ entry, status }: Shown, tags: readonly Shown[]): Html {
  return html`<li class="card">
<h2><a href="${pageOf(entry)}">${entry.name}/${entry.version}</a></h2>
<p class="row">${stateOf(entry, status)} <span class="small soft">${entry.network}</span>
${tags.map((tag) => html`<a class="tag" href="${pageOf(tag.entry)}">${tag.entry.version}</a>`)}</p>
${progressOf(status)}
${figuresOf(status)}
${status?.fatalError && html`<p class="small bad">${status.fatalError.message.slice(0, 300)}</p>`}
</li>`;
}

function emptyOverview(address: string): Html {
  return html`<p>Nothing is deployed yet. With a configuration in a folder, type there:</p>
<pre>graphloom subgraph deploy pools/1.0.0 --from-abi subgraph.json --api-url ${address}/api/v1</pre>`;
}
