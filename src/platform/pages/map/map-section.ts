import { createHash } from "node:crypto";
import { diagramOf } from "../../../subgraph/map/diagram.js";
import { drawMapWithin } from "../../../subgraph/map/draw-map.js";
import { Html, html } from "../../http/html.js";
import { digits } from "../parts.js";
import { handlerList } from "./handler-list.js";
import { figureText, type KnownFigures, type MapFigures, mapFigures } from "./map-figures.js";
import { type MapLine, mapLines } from "./map-lines.js";
import { type EntityAddress, mapLinks } from "./map-links.js";
import type { ShownMap } from "./maps.js";

/** The most characters of a drawing inside a page. A script loads a larger one, and without it, it is a picture. */
export const largestWithin = 64_000;

/** What a map on a page shows besides the map itself. */
export interface MapSurroundings extends KnownFigures {
  /** The address of the map as a separate picture. */
  readonly address: string;
  readonly addressOf: EntityAddress;
}

/** The drawing of a map with links and figures, for a page that has its style. */
export function decoratedMap(shown: ShownMap, around: MapSurroundings): string {
  return decorate(shown, around).drawing;
}

/** A map as part of a page, with a list of its handlers. */
export function mapSection(shown: ShownMap, around: MapSurroundings): Html {
  const { address } = around;
  const { drawing, lines, figures } = decorate(shown, around);
  const isWithin = drawing.length <= largestWithin;
  const area = isWithin
    ? html`<div class="map" id="map" role="region" aria-label="Map" tabindex="0">${new Html(drawing)}</div>`
    : html`<div class="map" id="map" role="region" aria-label="Map" tabindex="0" data-source="${address}?part=${tagOf(drawing)}"><div data-own="map"><a href="${address}"><img src="${address}" alt="Map of ${shown.map.title}; the list below describes it"></a></div></div>`;
  return html`${tools}
${area}
<p class="row small"><a href="${address}">Open the map as a picture</a> <span class="soft map-hint">Drag to move. Zoom with <kbd>+</kbd> and <kbd>−</kbd>, or Ctrl and the wheel; <kbd>0</kbd> shows all. Point at a box to see its path.</span></p>
<p class="small soft">${legend(around)}</p>
${!shown.isWhole && html`<p class="small soft">The build does not say which event stores which entity type, so the map shows them together. Builds that graphloom makes from a configuration do say so.</p>`}
${handlerList(lines, figures, around.addressOf)}`;
}

/** Explains the numbers of a map in words. */
function legend({ handlers }: KnownFigures): string {
  const beside = "The number beside an entity type: its entities now.";
  if (!handlers)
    return `${beside} How often handlers run is known only of subgraphs that graphloom itself has indexed.`;
  const since =
    handlers.after === undefined ? "since the first block" : `since block ${digits(handlers.after + 1)}`;
  return `The number on a line from a contract: how often its events and calls were handled. On a line to an entity type: how often its entities were stored, new, changed or removed. Both count ${since}; the rate after the dot covers the last minute. A line without a number has had nothing yet, or its share is not known. ${beside}`;
}

/** A drawing, and its source. */
interface Decorated {
  readonly drawing: string;
  readonly lines: readonly MapLine[];
  readonly figures: MapFigures;
}

function decorate(shown: ShownMap, around: MapSurroundings): Decorated {
  const { map, handlers } = shown;
  const diagram = diagramOf(map);
  const lines = mapLines(map, diagram);
  const links = mapLinks(diagram, lines, around.addressOf);
  const figures = mapFigures(lines, handlers, around);
  const entityOf = new Map(diagram.entities.map(({ key, name }) => [key, name]));
  const panels = new Set(diagram.groups.map(({ key }) => key));
  const drawing = drawMapWithin(map, {
    linkOf: (key) => links.get(key),
    figureOf: (from, to) => {
      const type = entityOf.get(to);
      if (type !== undefined) return figureText(figures.stored.get(from)?.get(type));
      return panels.has(to) ? figureText(figures.runs.get(from)) : undefined;
    },
    noteOf: (key) => {
      const count = figures.entities.get(entityOf.get(key) ?? "");
      return count === undefined ? undefined : digits(count);
    },
  });
  return { drawing, lines, figures };
}

/** A short text that changes with a drawing. */
function tagOf(drawing: string): string {
  return createHash("sha256").update(drawing).digest("base64url").slice(0, 22);
}

/** The controls of the map. They need the script `map.js`, and are absent without it. */
const tools = html`<div class="map-tools" role="group" aria-label="Map view">
<input type="search" id="map-search" placeholder="Find on the map" aria-label="Find on the map" autocomplete="off" spellcheck="false">
<button type="button" data-map="previous" aria-label="Previous match">↑</button>
<button type="button" data-map="next" aria-label="Next match">↓</button>
<output id="map-found" role="status" data-own="found"></output>
<span class="zoom"><button type="button" data-map="out" aria-label="Zoom out" aria-keyshortcuts="-">−</button>
<output id="map-zoom" data-own="zoom"></output>
<button type="button" data-map="in" aria-label="Zoom in" aria-keyshortcuts="+">+</button>
<button type="button" data-map="all" aria-keyshortcuts="0">Fit</button></span>
</div>`;
