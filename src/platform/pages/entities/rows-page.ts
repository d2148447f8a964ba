import type { EntityRow } from "../../../store/tables/browse-entities.js";
import type { EntityColumn, EntityTable, Layout } from "../../../store/tables/layout.js";
import { type Html, html } from "../../http/html.js";
import { copyFromButton } from "../copy-button.js";
import { fieldType } from "../entity-names.js";
import { digits, wideTable } from "../parts.js";
import { zoneNote } from "../times.js";
import { addressOf, type BrowseState, pageSizes, parametersOf } from "./browse-state.js";
import { inReadingOrder, isNumber } from "./field-roles.js";
import { comparisons, comparisonsOf } from "./filters.js";
import type { ReadRows } from "./read-rows.js";
import { type ValueLinks, valueHtml } from "./value-html.js";

/** How much of a value a cell shows. */
export const cellLength = { longest: 80, items: 8 } as const;

/** The rows of a type, as a page shows them. */
export interface ShownRows extends ReadRows {
  readonly table: Pick<EntityTable, "columns" | "type">;
  readonly layout: Pick<Layout, "enums">;
  readonly state: BrowseState;
  /** The number of all entities of the type. Absent before the first count. */
  readonly count?: bigint | undefined;
  readonly links: ValueLinks;
  /** The address of the page of this type. */
  readonly address: string;
}

/** The rows of a type, with the forms and links that change what is shown. */
export function rowsPage(shown: ShownRows): Html {
  const { page, block, mistakes, state, table, address } = shown;
  if (block === undefined) return html`<p class="soft">There are no entities yet.</p>`;
  const columns = inReadingOrder(table.columns);
  const rows = page.rows.map((row) => rowHtml(row, columns, shown));
  const hasTimes = rows.some(({ markup }) => markup.includes("<time "));
  return html`${searchForm(shown)}
${filterList(shown)}
${mistakes.length > 0 && html`<div class="notice bad" role="alert">${mistakes.map((text) => html`<p>${text}</p>`)}</div>`}
<p class="soft">${summary(shown)}</p>
${rows.length > 0 && wideTable(headsOf(columns, state), rows, "Entities")}
${hasTimes && html`<p class="small soft">${zoneNote}</p>`}
${pageLinks(shown)}
${page.rows.length > 0 && html`<p class="row small">These rows as <a href="${address}/rows.csv${addressOf(state)}">CSV</a> ${copyFromButton(`${address}/rows.csv${addressOf(state)}`, "these rows as CSV")} <a href="${address}/rows.json${addressOf(state)}">JSON</a> ${copyFromButton(`${address}/rows.json${addressOf(state)}`, "these rows as JSON")}</p>`}`;
}

function summary({ block, count, page, state, mistakes }: ShownRows): Html {
  const { order } = state;
  const isNarrowed = state.search !== "" || state.filters.length > 0;
  const all = count !== undefined && html`; ${digits(count)} ${count === 1n ? "entity" : "entities"}`;
  const how = order
    ? html`sorted by ${order.field}, ${order.isDescending ? "largest" : "smallest"} first`
    : "newest first";
  if (mistakes.length > 0) return html`As of block ${digits(block ?? 0)}${all}.`;
  if (page.rows.length === 0)
    return html`As of block ${digits(block ?? 0)}${all}. ${isNarrowed ? "No entity matches." : "There are no entities."}`;
  return html`As of block ${digits(block ?? 0)}${all}, ${how}.`;
}

function headsOf(columns: readonly EntityColumn[], { order, ...state }: BrowseState): readonly Html[] {
  return columns.map((column) => {
    const { field, list } = column;
    const number = isNumber(column) && html` class="number"`;
    const type = html`<span class="small">${fieldType(column)}</span>`;
    if (list) return html`<th scope="col">${field} ${type}</th>`;
    const own = order?.field === field ? order : undefined;
    const sorted = own && html` aria-sort="${own.isDescending ? "descending" : "ascending"}"`;
    // Largest first, then smallest first, then newest first again.
    const next = own && !own.isDescending ? undefined : { field, isDescending: own === undefined };
    const address = addressOf({ ...state, order: next, from: undefined });
    return html`<th scope="col"${number}${sorted}><a href="${address}">${field}</a>${own && (own.isDescending ? " ↓" : " ↑")} ${type}</th>`;
  });
}

function rowHtml({ values }: EntityRow, columns: readonly EntityColumn[], shown: ShownRows): Html {
  const { links, address } = shown;
  const id = idOf(values.id ?? "", columns);
  const page = `${address}/entity?${String(new URLSearchParams({ id }))}`;
  const cells = columns.map((column) => {
    const text = values[column.name] ?? null;
    if (column.field === "id") return html`<td class="cell"><a href="${page}" title="${id}">${id}</a></td>`;
    const { content, isCut } = valueHtml(column, text, links, cellLength);
    const more =
      isCut && html` <a href="${page}#${column.field}" aria-label="Whole value of ${column.field}">more</a>`;
    return html`<td class="cell${isNumber(column) ? " number" : ""}">${content}${more}</td>`;
  });
  return html`<tr>${cells}</tr>`;
}

/** An id in the form for people. */
export function idOf(text: string, columns: readonly EntityColumn[]): string {
  return columns.find(({ field }) => field === "id")?.codec.shown(text) ?? text;
}

function searchForm({ state, address }: ShownRows): Html {
  const kept = hiddenFields({ ...state, search: "", from: undefined }, ["size"]);
  const sizes = pageSizes.map(
    (size) => html`<option${size === state.size && html` selected`}>${size}</option>`,
  );
  return html`<form class="line" method="get" action="${address}" role="search">
<label>ID <input type="search" name="id" value="${state.search}" maxlength="1000" placeholder="starts with" spellcheck="false" autocomplete="off"></label>
<label>Rows <select name="size">${sizes}</select></label>
${kept}<button>Show</button></form>`;
}

function filterList({ state, table, layout, address }: ShownRows): Html {
  const kept = hiddenFields({ ...state, from: undefined });
  const chips = state.filters.map(({ field, by, value }, index) => {
    const others = state.filters.filter((_, other) => other !== index);
    const text = `${field} ${comparisons[by as keyof typeof comparisons] ?? by} ${value}`.trim();
    return html`<li class="tag">${text} <a href="${address}${addressOf({ ...state, filters: others, from: undefined })}" aria-label="Remove the filter ${text}">×</a></li>`;
  });
  const fields = inReadingOrder(table.columns).map(({ field }) => html`<option>${field}</option>`);
  const offered = new Set(table.columns.flatMap(comparisonsOf));
  const ways = Object.entries(comparisons)
    .filter(([by]) => offered.has(by as keyof typeof comparisons))
    .map(([by, words]) => html`<option value="${by}">${words}</option>`);
  const labels = [...layout.enums.values()].flatMap(({ labels: all }) => all);
  return html`${chips.length > 0 && html`<ul class="pages" aria-label="Filters">${chips}</ul>`}
<details id="filter"><summary>Add a filter</summary><form class="line" method="get" action="${address}">${kept}
<label>Field <select name="field">${fields}</select></label>
<label>Comparison <select name="by">${ways}</select></label>
<label>Value <input name="value" maxlength="1000" spellcheck="false" autocomplete="off"${labels.length > 0 && html` list="labels"`}></label>
${labels.length > 0 && html`<datalist id="labels">${labels.map((label) => html`<option value="${label}"></option>`)}</datalist>`}
<button>Filter</button></form></details>`;
}

/** The state as hidden fields of a form. @param without names that the form has itself */
function hiddenFields(state: BrowseState, without: readonly string[] = []): readonly Html[] {
  return [...parametersOf(state)]
    .filter(([name]) => !without.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

function pageLinks({ page: { rows, hasBefore, hasAfter }, state, address }: ShownRows): Html | undefined {
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last || (!hasBefore && !hasAfter)) return undefined;
  const to = (from: BrowseState["from"], text: string, isThere: boolean): Html =>
    isThere
      ? html`<li><a href="${address}${addressOf({ ...state, from })}">${text}</a></li>`
      : html`<li class="soft">${text}</li>`;
  return html`<nav aria-label="Pages of rows"><ul class="pages">${to(undefined, "First", hasBefore)}
${to({ before: first.vid }, "Previous", hasBefore)}
${to({ after: last.vid }, "Next", hasAfter)}
${to("last", "Last", hasAfter)}</ul></nav>`;
}
