import type { Row } from "../database/database.js";
import type { TableFacts } from "../tables/table-facts.js";
import { type Html, html } from "./html.js";
import { digits, wideTable } from "./parts.js";

/** Some rows of an entity's table. */
export interface EntityRows {
  readonly table: Pick<TableFacts, "columns" | "rows">;
  /** As of this block; nothing before the first. */
  readonly block?: number;
  readonly rows: readonly Row[];
  /** The address of the rows that follow; nothing after the last. */
  readonly next?: string;
}

/** Characters of a value that a cell holds; the rest is left out. */
const longest = 200;

/** The rows of an entity at the last block. */
export function entityPage({ table, block, rows, next }: EntityRows): Html {
  if (block === undefined || rows.length === 0) return html`<p class="soft">There are no rows.</p>`;
  const columns = table.columns.filter(({ name }) => name in (rows[0] ?? {}));
  const head = columns.map(
    ({ name, dataType }) => html`<th scope="col">${name} <span class="small">${dataType}</span></th>`,
  );
  const cells = rows.map((row) => html`<tr>${columns.map(({ name }) => cell(row[name]))}</tr>`);
  return html`<p class="soft">As of block ${digits(block)}; ${digits(table.rows)} versions are kept.</p>
${wideTable(head, cells, "Rows")}
${next !== undefined && html`<p><a href="${next}">More rows</a></p>`}`;
}

function cell(value: unknown): Html {
  if (value === null || value === undefined) return html`<td class="cell soft">null</td>`;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return html`<td class="cell" title="${shown}">${shown}</td>`;
}
