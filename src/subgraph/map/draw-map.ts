import { describeDiagram } from "./describe-map.js";
import { diagramOf } from "./diagram.js";
import { drawEntity, drawGroup, type LinkOf } from "./draw-boxes.js";
import { drawEdges, drawFigures } from "./draw-edges.js";
import { layOutMap, type MapLayout } from "./layout.js";
import { type MapTheme, mapStyle } from "./map-style.js";
import { sizes } from "./measure.js";
import type { SubgraphMap } from "./subgraph-map.js";
import { round } from "./svg-shapes.js";
import { escaped } from "./svg-text.js";

/** A page's additions to a drawing. Boxes are identified by their keys. */
export interface MapDecorations {
  /** The link target of a box, if any. */
  readonly linkOf?: LinkOf;
  /** A short text for the middle of a line, such as a count, if any. */
  readonly figureOf?: (from: string, to: string) => string | undefined;
  /** A short text beside the box of an entity type, such as a count, if any. */
  readonly noteOf?: (key: string) => string | undefined;
}

/** The beginning of every drawing. */
export const drawingBeginning = '<svg xmlns="http://www.w3.org/2000/svg" class="graphloom-map"';

/**
 * Draws a map as an SVG document: contracts, triggers and entities, from left to right. The same map gives
 * the same bytes. The document contains no scripts and no external references, and escapes all names.
 */
export function drawMap(map: SubgraphMap, theme: MapTheme = "auto"): string {
  return drawing(map, [`<style>\n${mapStyle(theme)}</style>`], {});
}

/**
 * Draws a map for a page that already contains the style (`mapStyle`). Scripts find a box by
 * `g.box[data-node]`, the panel around the handlers of a group by `g[data-node]`, a line by
 * `path.edge[data-from][data-to]`, and its figure by `text.figure` with the same attributes.
 */
export function drawMapWithin(map: SubgraphMap, decorations: MapDecorations = {}): string {
  return drawing(map, [], decorations);
}

function drawing(
  map: SubgraphMap,
  styles: readonly string[],
  { linkOf, figureOf, noteOf }: MapDecorations,
): string {
  const diagram = diagramOf(map);
  const layout = layOutMap(diagram, { figures: figureOf !== undefined, notes: noteOf !== undefined });
  const { width, height } = layout;
  // Assistive technology sees nothing inside an image, so a drawing with links is a group.
  const role = linkOf ? "group" : "img";
  const link = linkOf ?? (() => undefined);
  const lines = [
    `${drawingBeginning} role="${role}" aria-labelledby="graphloom-map-title graphloom-map-desc" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<title id="graphloom-map-title">${escaped(`Map of ${diagram.title}`)}</title>`,
    `<desc id="graphloom-map-desc">${describeDiagram(diagram).split("\n").map(escaped).join("\n")}</desc>`,
    ...styles,
    `<defs>${arrowHead("creates")}${arrowHead("refers")}</defs>`,
    `<rect class="paper" width="${width}" height="${height}"/>`,
    ...headings(layout),
    ...drawEdges(diagram.edges, layout),
    ...(figureOf ? drawFigures(diagram.edges, layout, figureOf) : []),
    ...layout.groups.flatMap((group) => drawGroup(group, link)),
    ...layout.entities.map((entity) => drawEntity(entity, link, noteOf?.(entity.entity.key))),
    "</svg>",
  ];
  return `${lines.join("\n")}\n`;
}

/** The end of lines of a kind. */
function arrowHead(kind: "creates" | "refers"): string {
  return `<marker id="graphloom-map-${kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path class="${kind}-head" d="M0 0L8 4L0 8z"/></marker>`;
}

function headings({ headings: all }: MapLayout): readonly string[] {
  const y = sizes.margin + 12;
  return all.map(({ text, x }) => `<text class="heading" x="${round(x)}" y="${y}">${text}</text>`);
}
