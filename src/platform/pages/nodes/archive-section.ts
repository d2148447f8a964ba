import type { ArchivedChainReading, ArchiveReading } from "../../../hosting/engine.js";
import { type Html, html } from "../../http/html.js";
import { digits, wideTable } from "../parts.js";

/** The most ranges of blocks and the most reasons that a chain shows. */
const mostRanges = 3;
const mostReasons = 5;

/** What the archives of the server hold of each chain, what was set aside, and what to do about it. */
export function archiveSection(archives: readonly ArchiveReading[]): Html | undefined {
  if (archives.length === 0) return undefined;
  const chains = archives.flatMap((archive) => archive.chains);
  const unreadable = archives.find((archive) => archive.unreadable !== undefined)?.unreadable;
  return html`<section id="archive"><h2>Archive</h2>
${unreadable !== undefined && html`<p class="bad">The folder of the archive cannot be read (${unreadable}). Subgraphs and pipelines ask the nodes instead. Give the server the right to read and write the folder that <code>--archive</code> names.</p>`}
${chains.length > 0 ? table(chains) : unreadable === undefined && html`<p class="soft">The archive is empty. What is read of the chains enters it once it is final.</p>`}
</section>`;
}

function table(chains: readonly ArchivedChainReading[]): Html {
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
