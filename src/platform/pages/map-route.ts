import type { FastifyInstance } from "fastify";
import { manifestPath } from "../../subgraph/build.js";
import { parseManifest } from "../../subgraph/manifest/parse-manifest.js";
import { drawMap } from "../../subgraph/map/draw-map.js";
import { mapOfManifest } from "../../subgraph/map/manifest-map.js";
import { readEntitySchema } from "../../subgraph/schema/read-entity-schema.js";
import { unzipBundle } from "../../subgraph/unzip-bundle.js";
import { readBundle } from "../catalog/builds.js";
import type { SubgraphVersion } from "../catalog/versions.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { forAnyone, type PageScope } from "./page-scope.js";
import { requireEntry } from "./views.js";

/** As many drawings are kept. */
const mostKept = 100;

/** The drawing of what a version listens to and what it stores, as a picture of its own. */
export function addMap(app: FastifyInstance, platform: Platform, callerOf: PageScope["callerOf"]): void {
  const kept = new Map<string, string>();
  app.get<{ Params: { name: string; version: string } }>(
    "/dashboard/:name/:version/map.svg",
    forAnyone,
    async (request, reply) => {
      const caller = await callerOf(request);
      if (!caller) throw new Problem("unauthorized", "Sign in first.");
      const entry = await requireEntry(platform, caller.project, request.params);
      const drawing = kept.get(entry.deployment) ?? (await draw(platform, entry));
      if (kept.size >= mostKept) kept.clear();
      kept.set(entry.deployment, drawing);
      return reply
        .headers({
          "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
          "x-content-type-options": "nosniff",
          "cache-control": "private, max-age=300",
        })
        .type("image/svg+xml")
        .send(drawing);
    },
  );
}

async function draw({ database }: Platform, { name, deployment }: SubgraphVersion): Promise<string> {
  const bundle = await readBundle(database, deployment);
  if (!bundle) throw new Problem("not-found", "The build is not there any more.");
  const files = await unzipBundle(bundle);
  const text = (path: string): string => new TextDecoder().decode(files.get(path));
  const manifest = parseManifest(text(manifestPath), manifestPath).toData();
  const schema =
    typeof manifest.schema?.file === "string" ? manifest.schema.file.replace(/^\.\//, "") : "schema.graphql";
  const { types } = readEntitySchema(text(schema));
  return drawMap(mapOfManifest(manifest, name, [...types.keys()]));
}
