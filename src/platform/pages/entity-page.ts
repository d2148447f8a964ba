import type { Row } from "../../store/database/database.js";
import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";
import { type Html, html } from "../http/html.js";
import { fieldType, shownValue } from "./entity-names.js";
import { digits, wideTable } from "./parts.js";

/** Some entities of a type. */
export interface EntityRows {
  readonly table: Pick<EntityTable, "columns">;
  /** The number of all entities of the type. Absent before the first count. */
  readonly count?: bigint | undefined;
  /** The block of this state. Absent before the first block. */
  readonly block?: number;
  readonly rows: readonly Row[];
  /** The address of the next rows. Absent after the last. */
  readonly next?: string;
}

/** The most characters of a value in a cell. The rest is omitted. */
const longest = 200;

/** The entities of a type as of the last block. */
export function entityPage({ table: { columns }, count, block, rows, next }: EntityRows): Html {
  if (block === undefined || rows.length === 0) return html`<p class="soft">There are no entities.</p>`;
  const head = columns.map(
    (column) => html`<th scope="col">${column.field} <span class="small">${fieldType(column)}</span></th>`,
  );
  const cells = rows.map((row) => html`<tr>${columns.map((column) => cell(column, row[column.name]))}</tr>`);
  return html`<p class="soft">As of block ${digits(block)}${count !== undefined && `; ${digits(count)} ${count === 1n ? "entity" : "entities"}`}.</p>
${wideTable(head, cells, "Entities")}
${next !== undefined && html`<p><a href="${next}">More entities</a></p>`}`;
}

function cell(column: EntityColumn, value: string | null = null): Html {
  if (value === null) return html`<td class="cell soft">null</td>`;
  const text = shownValue(column, value);
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return html`<td class="cell" title="${shown}">${shown}</td>`;
}
