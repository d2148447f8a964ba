import type { EntityVersion } from "../../../store/tables/entity-history.js";
import type { EntityColumn, EntityTable } from "../../../store/tables/layout.js";
import type { Writer } from "../../../subgraph/writers.js";
import { type Html, html } from "../../http/html.js";
import { copyButton } from "../copy-button.js";
import { fieldType } from "../entity-names.js";
import { digits, wideTable } from "../parts.js";
import { momentCell, momentHead, zoneNote } from "../times.js";
import type { Explorer } from "./explorer.js";
import { inReadingOrder } from "./field-roles.js";
import type { VersionFacts } from "./history-facts.js";
import { type ValueLinks, valueHtml } from "./value-html.js";

/** An entity and its versions. */
export interface ShownEntity {
  readonly table: EntityTable;
  readonly id: string;
  /** Newest first, at least one. */
  readonly versions: readonly (EntityVersion & VersionFacts)[];
  readonly hasOlder: boolean;
  /** Whether the first of them is the newest. */
  readonly isNewest: boolean;
  /** The first kept block, if older versions were deleted. */
  readonly keptSince?: number;
  readonly links: ValueLinks;
  readonly explorer: Explorer | undefined;
  readonly address: string;
  /** The field whose whole value is shown. */
  readonly whole: string | undefined;
}

/** How much of a value the page shows, and how much of one on request. */
export const entityLength = { longest: 2_000, items: 100 } as const;
export const wholeLength = { longest: 1_000_000, items: 100_000 } as const;

/** The values of an entity, and its history. */
export function entityHistoryPage(shown: ShownEntity): Html {
  const { versions, isNewest, hasOlder, address } = shown;
  const [newest] = versions;
  const oldest = versions.at(-1);
  if (!newest || !oldest) return html`<p class="soft">There are no versions.</p>`;
  const ended =
    newest.ends === undefined
      ? false
      : html`<p class="notice">The entity was removed in block ${digits(newest.ends)}. These are its last values.</p>`;
  const older =
    hasOlder && html`<li><a href="${address}&amp;before=${String(oldest.vid)}">Older versions</a></li>`;
  const back = !isNewest && html`<li><a href="${address}">Newest versions</a></li>`;
  return html`${isNewest && html`${ended}${valueList(newest, shown)}`}
<h2 id="history">History</h2>
${historyTable(shown)}
${(hasOlder || !isNewest) && html`<nav aria-label="Pages of versions"><ul class="pages">${back}${older}</ul></nav>`}
${handlerList(versions)}
<p class="small soft">Only the block of each version is stored. The time comes from a recent block or from the entity's fields, the transaction from its fields, and the handler from the build. ${zoneNote}</p>`;
}

function valueList({ values }: EntityVersion, shown: ShownEntity): Html {
  const { table, links, address, whole } = shown;
  const rows = inReadingOrder(table.columns).map((column) => {
    const { field, name } = column;
    const length = field === whole ? wholeLength : entityLength;
    const { content, isCut } = valueHtml(column, values[name] ?? null, links, length);
    const more =
      isCut && html` <a href="${address}&amp;whole=${encodeURIComponent(field)}#${field}">Show all</a>`;
    const copy = !isCut && copyButton(`value-${field}`, `the value of ${field}`);
    return html`<dt id="${field}">${field} <span class="small">${fieldType(column)}</span></dt><dd class="mono"><span id="value-${field}">${content}</span>${more} ${copy}</dd>`;
  });
  return html`<dl>${rows}</dl>`;
}

function historyTable({ versions, hasOlder, keptSince, explorer, table }: ShownEntity): Html {
  const head = ["Block", momentHead, "Transaction", "Change", "Handler", "Configuration"].map((one) =>
    typeof one === "string" ? html`<th scope="col">${one}</th>` : one,
  );
  const rows = versions.map((version, index) => {
    const isOldest = !hasOlder && index === versions.length - 1;
    const { time, transaction, begins } = version;
    const outside = (address: string | undefined, text: string): Html =>
      address === undefined
        ? html`${text}`
        : html`<a href="${address}" rel="external noreferrer">${text}</a>`;
    return html`<tr><td>${outside(explorer?.block(String(begins)), digits(begins))}</td>
<td>${time === undefined ? unknown("not kept") : momentCell(new Date(time * 1000))}</td>
<td class="cell">${transaction === undefined ? unknown("not stored") : outside(explorer?.transaction(transaction), transaction)}</td>
<td>${changeOf(version, table.columns, isOldest, keptSince)}${removal(version)}</td>${writerCells(version)}</tr>`;
  });
  return wideTable(head, rows, "History");
}

function changeOf(
  { begins, previous }: EntityVersion,
  columns: readonly EntityColumn[],
  isOldest: boolean,
  keptSince: number | undefined,
): Html {
  if (!previous) {
    const isFirstKept = isOldest && keptSince !== undefined && begins <= keptSince;
    return html`${isFirstKept ? "first kept version" : "created"}`;
  }
  if (previous.ends < begins) {
    return html`created again, after its removal in block ${digits(previous.ends)}`;
  }
  const fields = columns.filter(({ name }) => previous.changed.includes(name)).map(({ field }) => field);
  return html`${fields.length === 0 ? "stored again, unchanged" : fields.join(", ")}`;
}

function removal({ ends, next }: EntityVersion): Html | undefined {
  if (ends === undefined || next === undefined || next === ends) return undefined;
  return html`<br><span class="small">removed in block ${digits(ends)}</span>`;
}

function writerCells({ writer }: VersionFacts): Html {
  const one = (text: Html): Html => html`<td colspan="2">${text}</td>`;
  switch (writer.kind) {
    case "store":
      return one(html`computed by the store at the end of the interval`);
    case "graft":
      return one(html`grafted from <span class="mono">${writer.base}</span>`);
    case "unknown":
      return one(unknown("not known"));
    case "handlers": {
      const { handlers, isCertain } = writer;
      const [only] = handlers;
      if (only && handlers.length === 1)
        return html`<td title="${only.trigger}">${handlerText(only)}${!isCertain && html`<br>${unknown("the only one that the build has")}`}</td><td>${placeText(only)}</td>`;
      return one(html`<a href="#handlers">one of ${handlers.length} handlers</a>`);
    }
  }
}

/** All handlers that can have stored one of the versions, if there are several for one. */
function handlerList(versions: ShownEntity["versions"]): Html | undefined {
  const several = versions.flatMap(({ writer }) =>
    writer.kind === "handlers" && writer.handlers.length > 1 ? writer.handlers : [],
  );
  if (several.length === 0) return undefined;
  const items = [...new Set(several)].map(
    (handler) =>
      html`<li>${handlerText(handler)} <span class="soft">on</span> <span class="mono">${handler.trigger}</span>: ${placeText(handler)}</li>`,
  );
  return html`<h2 id="handlers">Handlers that may have stored it</h2><ul>${items}</ul>`;
}

function handlerText({ source, handler }: Writer): Html {
  return html`<span class="mono">${handler}</span> <span class="small soft">of ${source}</span>`;
}

function placeText({ place }: Writer): Html {
  return place === undefined ? unknown("not known") : html`<span class="mono">${place}</span>`;
}

function unknown(text: string): Html {
  return html`<span class="soft">${text}</span>`;
}
