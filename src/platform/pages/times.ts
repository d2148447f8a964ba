import { type Html, html } from "../http/html.js";

/** A moment to the second. A script shows it in the reader's time zone; without it, the text is in UTC. */
export function momentOf(moment: Date): Html {
  const text = moment.toISOString();
  return html`<time datetime="${text}" data-moment title="${text}">${text.slice(0, 19).replace("T", " ")} UTC</time>`;
}

/** A moment in a table, whose heading names the time zone. */
export function momentCell(moment: Date): Html {
  const text = moment.toISOString();
  return html`<time datetime="${text}" data-moment title="${text}">${text.slice(0, 19).replace("T", " ")}</time>`;
}

/** Names the time zone of the times on a page that have no heading with a zone. */
export const zoneNote = html`Times are in <span data-zone-name>UTC</span>.`;

/** The heading of a column of moments. */
export const momentHead = html`<th scope="col" data-zone>Time (UTC)</th>`;
