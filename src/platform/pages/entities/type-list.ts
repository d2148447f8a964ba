import type { EntityTable } from "../../../store/tables/layout.js";
import { type Html, html } from "../../http/html.js";
import type { EntityCounts } from "../entity-counts.js";
import { typeOf } from "../entity-names.js";
import { digits } from "../parts.js";

/** The entity types of a subgraph with their counts, as links. @param shown the name of the table on this page */
export function typeList(
  base: string,
  tables: readonly EntityTable[],
  counts: EntityCounts | undefined,
  shown: string,
): Html {
  const links = tables.map((table) => {
    const count = counts?.get(table.name);
    const current = table.name === shown && html` aria-current="true"`;
    return html`<li id="entity-${table.name}"><a href="${base}/data/${encodeURIComponent(table.name)}"${current}>${typeOf(table)}</a>
<span class="number soft">${count === undefined ? "…" : digits(count)}</span></li>`;
  });
  return html`<nav class="types" aria-label="Entity types"><ul>${links}</ul></nav>`;
}
