import { drawPng, isOwnPng } from "../../machine/resvg/draw-png.js";
import { drawingBeginning, drawMap } from "../../subgraph/map/draw-map.js";
import type { MapTheme } from "../../subgraph/map/map-style.js";
import { mermaidBeginning, mermaidOf } from "../../subgraph/map/mermaid-map.js";
import type { SubgraphMap } from "../../subgraph/map/subgraph-map.js";
import type { MapFormat } from "./map-format.js";

/** The appearance of a map. */
export interface MapLook {
  readonly format: MapFormat;
  readonly theme: MapTheme;
}

/** A map in its format. */
export interface DrawnMap {
  readonly title: string;
  readonly format: MapFormat;
  readonly content: string | Uint8Array;
  /** Identifies files of this format that graphloom wrote: their beginning, or a test of their content. */
  readonly isOwn: string | ((content: Uint8Array) => boolean);
}

/**
 * Draws a map in a format. A PNG does not follow its reader, so the theme `auto` draws it light.
 * @throws MapTooLargeError for Mermaid; PackageMissingError and PngError for a PNG
 */
export async function drawnMap(map: SubgraphMap, { format, theme }: MapLook): Promise<DrawnMap> {
  const of = (content: DrawnMap["content"], isOwn: DrawnMap["isOwn"]): DrawnMap => ({
    title: map.title,
    format,
    content,
    isOwn,
  });
  if (format === "mermaid") return of(mermaidOf(map, theme), mermaidBeginning);
  if (format === "svg") return of(drawMap(map, theme), drawingBeginning);
  return of(await drawPng(drawMap(map, theme === "auto" ? "light" : theme)), isOwnPng);
}
