import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { mapSection } from "../map-route.js";
import { createMaps } from "../maps.js";
import type { TabScope } from "./tab-scope.js";

/** Adds the tab with the map of what a version or a tag listens to and what it stores. */
export function addMapTab(tabs: TabScope, platform: Platform): void {
  const mapOf = createMaps(platform);
  tabs.get("map", "", async ({ entry, base }) => {
    const shown = await mapOf(entry);
    return {
      body: shown
        ? mapSection(shown, `${base}/map.svg`)
        : html`<p class="soft">No map is available: the build is gone or cannot be read.</p>`,
    };
  });
}
