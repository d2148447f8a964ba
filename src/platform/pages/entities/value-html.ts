import { parseArray } from "../../../store/database/sql-array.js";
import { parseTimestamp } from "../../../store/database/timestamps.js";
import type { EntityColumn } from "../../../store/tables/layout.js";
import { type Html, html } from "../../http/html.js";
import type { Explorer } from "./explorer.js";
import { roleOf, timeText } from "./field-roles.js";

/** Where the links of values lead. */
export interface ValueLinks {
  readonly explorer: Explorer | undefined;
  /** The address of the page of an entity. */
  entity(type: string, id: string): string;
}

/** A value for people, and whether its end is missing. */
export interface ShownValue {
  readonly content: Html;
  readonly isCut: boolean;
}

/** How much of a value is shown. */
export interface ShownLength {
  /** Characters of a value, or of each item of a list. */
  readonly longest: number;
  /** Items of a list. */
  readonly items: number;
}

/**
 * A value for people. References, addresses, transactions and blocks become links.
 * @param text in the database's text form. A character or item beyond the length means that more was left out.
 */
export function valueHtml(
  column: EntityColumn,
  text: string | null,
  links: ValueLinks,
  { longest, items }: ShownLength,
): ShownValue {
  if (text === null) return { content: html`<span class="soft">null</span>`, isCut: false };
  if (!column.list) return itemHtml(column, text, links, longest);
  const all = parseArray(text);
  const single = { ...column, list: false };
  const shown = all.slice(0, items).map((item) => itemHtml(single, item, links, longest));
  const isCut = all.length > items || shown.some((one) => one.isCut);
  const parts = shown.map(({ content }, index) => html`${index > 0 && ", "}${content}`);
  return { content: html`[${parts}${all.length > items && ", …"}]`, isCut };
}

function itemHtml(column: EntityColumn, text: string | null, links: ValueLinks, longest: number): ShownValue {
  if (text === null) return { content: html`<span class="soft">null</span>`, isCut: false };
  const isCut = text.length > longest;
  const shown = shownItem(column, isCut ? text.slice(0, longest) : text);
  const title = `${shown}${isCut ? "…" : ""}`;
  if (isCut) return { content: html`<span title="${title}">${title}</span>`, isCut };
  return { content: linked(column, shown, links) ?? html`<span${titleOf(shown)}>${shown}</span>`, isCut };
}

/** A single value, also of a list: bytes as people write them, and all others as the database does. */
function shownItem({ scalar }: EntityColumn, text: string): string {
  return scalar === "Bytes" ? `0x${text.slice("\\x".length)}` : text;
}

/** How many characters fit into a cell. */
const fits = 30;

/** The whole value, if a cell may be too small for it. */
function titleOf(shown: string): Html | false {
  return shown.length > fits && html` title="${shown}"`;
}

function linked(column: EntityColumn, shown: string, { explorer, entity }: ValueLinks): Html | undefined {
  if (column.target !== undefined) {
    return html`<a href="${entity(column.target, shown)}"${titleOf(shown)}>${shown}</a>`;
  }
  if (column.scalar === "Timestamp") return timestamp(shown);
  const out = (address: string | undefined): Html | undefined =>
    address === undefined
      ? undefined
      : html`<a href="${address}" rel="external noreferrer"${titleOf(shown)}>${shown}</a>`;
  switch (roleOf(column, shown)) {
    case "block":
      return out(explorer?.block(shown));
    case "time":
      return timeHtml(Number(shown), shown);
    case "transaction":
      return out(explorer?.transaction(shown));
    case "address":
      return out(explorer?.address(shown));
    default:
      return undefined;
  }
}

/** A time for people, which a script shows in the reader's time zone. @param raw the original value */
function timeHtml(seconds: number, raw: string): Html {
  const iso = new Date(seconds * 1000).toISOString();
  return html`<time datetime="${iso}" data-moment title="${raw}">${timeText(seconds)}</time>`;
}

/** A time in the database's text form. Its raw value is in microseconds, as in queries. */
function timestamp(text: string): Html {
  const raw = String(parseTimestamp(text));
  const [, date, clock, fraction] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?\+00$/.exec(text) ?? [];
  if (date === undefined) return html`<time title="${raw}">${text}</time>`;
  return html`<time datetime="${date}T${clock}Z" data-moment${fraction !== undefined && html` data-fraction="${fraction}"`} title="${raw}">${date} ${clock}${fraction}</time>`;
}
