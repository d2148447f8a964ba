import { type Html, type HtmlValue, html } from "../../http/html.js";
import { digits, wideTable } from "../parts.js";
import { type MapFigures, rateText } from "./map-figures.js";
import type { MapLine } from "./map-lines.js";
import { explorerAddress, type MapTargets } from "./map-links.js";

/** The most handlers in the list, and the most names in a cell. */
const mostLines = 200;
const mostNames = 8;

/** What the list of handlers shows besides them. */
interface ListSurroundings extends MapTargets {
  readonly figures: MapFigures;
}

/** The handlers of a map as a table: what triggers them, and what they store and create. */
export function handlerList(lines: readonly MapLine[], around: ListSurroundings): Html | undefined {
  if (lines.length === 0) return undefined;
  const left = lines.length - mostLines;
  const rows = lines.slice(0, mostLines).map((line) => rowOf(line, around));
  return html`<h2>Events and calls</h2>
${wideTable(head, rows, "Events and calls")}
${left > 0 && html`<p class="small soft">And ${digits(left)} more.</p>`}`;
}

const head = [
  html`<th scope="col">Event or call</th>`,
  html`<th scope="col">Contracts</th>`,
  html`<th scope="col">Stores</th>`,
  html`<th scope="col">Creates</th>`,
  html`<th scope="col" class="number">Now</th>`,
];

function rowOf({ id, handler, group }: MapLine, { figures, sources, entity }: ListSurroundings): Html {
  const { kind, text, key } = handler;
  const trigger = group.triggers.find((one) => one.kind === kind && one.text === text);
  const stored = (names: readonly string[] = []): HtmlValue =>
    listed(
      names.map((name) => {
        const count = figures.entities.get(name);
        return html`<a href="${entity(name)}">${name}</a>${count !== undefined && html` <span class="soft number">${digits(count)}</span>`}`;
      }),
    );
  const contracts = group.contracts.map(({ name }) => {
    const address = explorerAddress(sources.get(name));
    return address === undefined
      ? html`${name}`
      : html`<a href="${address}" rel="external noreferrer">${name}</a>`;
  });
  return html`<tr id="${id}"><td>${kind !== "event" && html`<span class="soft">${kind}</span> `}<code>${text}</code></td>
<td>${listed(contracts)}</td>
<td>${stored(trigger?.entities)}${group.entities.length > 1 && html`<span class="soft">any of</span> `}${stored(group.entities)}</td>
<td>${listed((trigger?.creates ?? []).map((name) => html`${name}`))}</td>
<td class="number">${rateText(figures.rates.get(key))}</td></tr>
`;
}

function listed(all: readonly Html[]): HtmlValue {
  const shown = all.slice(0, mostNames).map((one, index) => html`${index > 0 && ", "}${one}`);
  return html`${shown}${all.length > mostNames && html`<span class="soft"> and ${digits(all.length - mostNames)} more</span>`}`;
}
