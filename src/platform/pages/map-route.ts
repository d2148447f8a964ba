import type { FastifyInstance } from "fastify";
import { describeMap } from "../../subgraph/map/describe-map.js";
import { drawMap, drawMapWithin } from "../../subgraph/map/draw-map.js";
import { Html, html, linesOf } from "../http/html.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { nameIn, requireEntry } from "../subgraphs/find-subgraph.js";
import { createMaps, type ShownMap } from "./maps.js";
import type { PageScope } from "./page-scope.js";

/** The most characters of a drawing inside a page. A larger one is loaded separately, once. */
const largestWithin = 64_000;

/** Serves the map of a version, which shows what it listens to and what it stores, as a separate picture. */
export function addMap(
  app: FastifyInstance,
  platform: Platform,
  { ofBrowser }: Pick<PageScope, "ofBrowser">,
): void {
  const mapOf = createMaps(platform);
  app.get<{ Params: { name: string; version: string } }>(
    "/dashboard/:name/:version/map.svg",
    { config: { role: "Viewer", ofBrowser } },
    async (request, reply) => {
      const version = nameIn(callerOf(request), request.params);
      const shown = await mapOf(await requireEntry(platform.database, version));
      if (!shown) throw new Problem("not-found", "No map is available: the build is gone or cannot be read.");
      return reply
        .headers({
          "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
          "x-content-type-options": "nosniff",
          "cache-control": "private, max-age=300",
        })
        .type("image/svg+xml")
        .send(drawMap(shown.map));
    },
  );
}

/** The map as part of a page, with a description in words. @param address of the separate picture */
export function mapSection({ map, isWhole }: ShownMap, address: string): Html {
  const drawing = drawMapWithin(map);
  const isWithin = drawing.length <= largestWithin;
  const picture = isWithin
    ? new Html(drawing)
    : html`<a href="${address}"><img src="${address}" alt="Map of ${map.title}; described below"></a>`;
  const description = html`<details id="map-words"><summary>The map in words</summary>
<pre>${linesOf(describeMap(map))}</pre></details>`;
  return html`<div class="map" role="region" aria-label="Map" tabindex="0">${picture}</div>
<p class="small"><a href="${address}">Open the map as a picture</a></p>
${!isWithin && description}
${!isWhole && html`<p class="small soft">The build does not say which event stores which entity type, so the map shows them together. Builds that graphloom makes from a configuration do say so.</p>`}`;
}
