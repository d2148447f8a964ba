import type { FastifyInstance } from "fastify";
import { drawMap } from "../../../subgraph/map/draw-map.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { pageOf } from "../addresses.js";
import type { ReadEntityCounts } from "../entity-counts.js";
import type { PageScope } from "../page-scope.js";
import { decoratedMap } from "./map-section.js";
import { mapSurroundings } from "./map-surroundings.js";
import { drawableMap, type ReadMap } from "./maps.js";

/**
 * Serves the map of a version, which shows what the version listens to and stores, as a separate picture. With `part`
 * in its query, the drawing has links and figures, for a page that includes its style.
 */
export function addMap(
  app: FastifyInstance,
  platform: Platform,
  {
    ofBrowser,
    mapOf,
    countsOf,
  }: Pick<PageScope, "ofBrowser"> & { readonly mapOf: ReadMap; readonly countsOf: ReadEntityCounts },
): void {
  app.get<{ Params: { name: string; version: string }; Querystring: { part?: string } }>(
    "/dashboard/:name/:version/map.svg",
    { config: { role: "Viewer", isLinked: true, ofBrowser } },
    async (request, reply) => {
      const version = nameIn(callerOf(request), request.params);
      const entry = await requireEntry(platform.database, version);
      const shown = drawableMap(await mapOf(entry));
      if (typeof shown === "string") throw new Problem("not-found", shown);
      const headers = {
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        "x-content-type-options": "nosniff",
      };
      reply.headers(headers).type("image/svg+xml");
      if (request.query.part === undefined)
        return reply.header("cache-control", "private, max-age=300").send(drawMap(shown.map));
      const around = await mapSurroundings(platform, countsOf, entry, {
        base: pageOf(entry),
        log: request.log,
      });
      return reply.header("cache-control", "no-store").send(decoratedMap(shown, around));
    },
  );
}
