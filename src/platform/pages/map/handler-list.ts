import { type Html, type HtmlValue, html } from "../../http/html.js";
import { digits, wideTable } from "../parts.js";
import { type MapFigures, rateText, type StoredFigures } from "./map-figures.js";
import type { MapLine } from "./map-lines.js";
import { type EntityAddress, explorerAddress } from "./map-links.js";

/** The most handlers in the list, and the most names in a cell. */
const mostLines = 200;
const mostNames = 8;

/** The handlers of a map as a table: what triggers them, and what they store, create and read. */
export function handlerList(
  lines: readonly MapLine[],
  figures: MapFigures,
  addressOf: EntityAddress,
): Html | undefined {
  if (lines.length === 0) return undefined;
  const shown = lines.slice(0, mostLines);
  const columns = {
    creates: shown.some(({ trigger }) => trigger.creates.length > 0),
    calls: shown.some(({ trigger }) => trigger.calls.length > 0),
  };
  const head = [
    html`<th scope="col">Event or call</th>`,
    html`<th scope="col">Contracts</th>`,
    html`<th scope="col">Stores</th>`,
    html`${columns.creates && html`<th scope="col">Creates</th>`}`,
    html`${columns.calls && html`<th scope="col">Reads</th>`}`,
    html`<th scope="col" class="number">Runs</th>`,
    html`<th scope="col" class="number">Last minute</th>`,
  ];
  const rows = shown.map(({ id, box, trigger, contracts, together }) => {
    const { signature, kind, key } = box;
    const [ran, counts] = [figures.runs.get(key), figures.stored.get(key)];
    const stored = [...trigger.entities, ...together].map((name) => entityLink(name, counts, addressOf));
    return html`<tr id="${id}"><td>${kind !== "event" && html`<span class="soft">${kind}</span> `}<code>${signature.full}</code></td>
<td>${listed(contracts.map(contractLink))}</td>
<td>${together.length > 1 && html`<span class="soft">any of</span> `}${listed(stored)}</td>
${columns.creates && html`<td>${listed(trigger.creates.map((name) => html`${name}`))}</td>`}
${columns.calls && html`<td>${listed(trigger.calls.map((name) => html`<code>${name}</code>`))}</td>`}
<td class="number">${ran && digits(ran.count)}</td>
<td class="number">${rateText(ran?.perSecond)}</td></tr>
`;
  });
  const left = lines.length - shown.length;
  return html`<h2>Events and calls</h2>
${wideTable(head, rows, "Events and calls")}
${left > 0 && html`<p class="small soft">And ${digits(left)} more.</p>`}`;
}

/** An entity type, and how often the handler has stored it. */
function entityLink(name: string, stored: StoredFigures | undefined, addressOf: EntityAddress): Html {
  const count = stored?.get(name)?.count;
  return html`<a href="${addressOf(name)}">${name}</a>${count !== undefined && html` <span class="soft number">${digits(count)}</span>`}`;
}

function contractLink(contract: MapLine["contracts"][number]): Html {
  const address = explorerAddress(contract);
  if (address === undefined) return html`${contract.name}`;
  return html`<a href="${address}" rel="external noreferrer">${contract.name}</a>`;
}

function listed(all: readonly Html[]): HtmlValue {
  const shown = all.slice(0, mostNames).map((one, index) => html`${index > 0 && ", "}${one}`);
  return html`${shown}${all.length > mostNames && html`<span class="soft"> and ${digits(all.length - mostNames)} more</span>`}`;
}
