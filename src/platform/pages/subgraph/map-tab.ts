import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import type { ReadEntityCounts } from "../entity-counts.js";
import { mapSection } from "../map/map-section.js";
import { mapSurroundings } from "../map/map-surroundings.js";
import { drawableMap, type ReadMap } from "../map/maps.js";
import type { TabScope } from "./tab-scope.js";

/** Adds the tab with the map of what a version or a tag listens to and what it stores. */
export function addMapTab(
  tabs: TabScope,
  platform: Platform,
  mapOf: ReadMap,
  countsOf: ReadEntityCounts,
): void {
  tabs.get("map", "", async ({ entry, base, request }) => {
    const shown = drawableMap(await mapOf(entry));
    if (typeof shown === "string") return { body: html`<p class="soft">${shown}</p>` };
    const around = await mapSurroundings(platform, countsOf, entry, { base, log: request.log });
    return { body: mapSection(shown, around), scripts: ["map.js"], isLive: true };
  });
}
