import type { HostedStorage } from "../../../hosting/engine.js";
import type { EntityTable } from "../../../store/tables/layout.js";
import { type Html, html } from "../../http/html.js";
import { heightOf } from "../charts/paths.js";
import type { EntityCounts } from "../entity-counts.js";
import { typeOf } from "../entity-names.js";
import { digits } from "../parts.js";

/** How many entities each type has, and how many of them did not exist an hour ago, as far as known. */
export interface TypeCounts {
  readonly counts?: EntityCounts | undefined;
  readonly added?: EntityCounts | undefined;
}

/** Counts the entities of a deployment by type. It throws DatabaseError. */
export type ReadTypeCounts = (project: string, storage: HostedStorage) => Promise<TypeCounts>;

/** The entity types of a subgraph with their counts, as links. @param shown the name of the table on this page */
export function typeList(
  base: string,
  tables: readonly EntityTable[],
  { counts, added }: TypeCounts,
  shown: string,
): Html {
  const most = Math.max(1, ...tables.map(({ name }) => Number(counts?.get(name) ?? 0)));
  const links = tables.map((table) => {
    const count = counts?.get(table.name);
    const more = added?.get(table.name) ?? 0n;
    const current = table.name === shown && html` aria-current="true"`;
    return html`<li id="entity-${table.name}"><a href="${base}/data/${encodeURIComponent(table.name)}"${current}>${typeOf(table)}</a>
<span class="number soft">${more > 0n && html`<span class="small">+${digits(more)}<span class="heard"> new in the last hour, of </span></span> `}${count === undefined ? "…" : digits(count)}${count !== undefined && bar(Number(count), most)}</span></li>`;
  });
  return html`<nav class="types" aria-label="Entity types"><ul>${links}</ul>
${[...(added?.values() ?? [])].some((more) => more > 0n) && html`<p class="small soft">+: new in the last hour</p>`}</nav>`;
}

const barWidth = 60;

/** A bar below a count, as long as its share of the greatest one. The count says the same to screen readers. */
function bar(count: number, most: number): Html {
  const width = heightOf(count, most, barWidth);
  return html`<svg class="bar" aria-hidden="true" width="${barWidth}" height="3"><rect x="${barWidth - width}" width="${width}" height="3"/></svg>`;
}
