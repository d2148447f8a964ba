import { type Html, html } from "../../http/html.js";
import { pageOf } from "../addresses.js";
import { digits, stateOf } from "../parts.js";
import { type AskedOverview, overviewAddress } from "./asked-overview.js";
import type { OverviewRow } from "./overview-row.js";

/** The most versions that a fold lists. A link leads to all of them. */
const mostListed = 10;

/** A row with the folded versions of a name. @param columns of the table */
export function olderVersions(
  name: string,
  older: readonly OverviewRow[],
  asked: AskedOverview,
  columns: number,
): Html {
  const listed = older.slice(0, mostListed);
  const all = overviewAddress({ ...asked, search: `${name}/`, order: "newest", page: 1 });
  return html`<tr class="older" id="older-row-${name}"><td colspan="${columns}"><details id="older-${name}"><summary>${digits(older.length)} older ${older.length === 1 ? "version" : "versions"} of ${name}</summary>
<ul>${listed.map(
    ({ entry, status }) =>
      html`<li><a href="${pageOf(entry)}">${name}/${entry.version}</a> ${stateOf(entry, status)}</li>\n`,
  )}</ul>
${older.length > listed.length && html`<p><a href="${all}">All versions of ${name}</a></p>`}</details></td></tr>
`;
}
