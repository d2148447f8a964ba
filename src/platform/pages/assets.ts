import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";
import { mapStyle } from "../../subgraph/map/draw-map.js";

const types = {
  "style.css": "text/css; charset=utf-8",
  "live.js": "text/javascript; charset=utf-8",
  "morph.js": "text/javascript; charset=utf-8",
  "rows.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
} as const;

/** Adds the assets of the pages, which load nothing from other servers. */
export function addAssets(app: FastifyInstance): void {
  for (const [name, type] of Object.entries(types)) {
    const file = readFileSync(new URL(`./assets/${name}`, import.meta.url));
    const content = name === "style.css" ? Buffer.concat([file, Buffer.from(mapStyle)]) : file;
    app.get(`/assets/${name}`, { config: { role: "anyone", isAsset: true } }, async (_, reply) =>
      reply
        .headers({ "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" })
        .type(type)
        .send(content),
    );
  }
}
