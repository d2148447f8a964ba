import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FastifyInstance } from "fastify";
import { mapStyle } from "../../subgraph/map/map-style.js";
import { assetOf, frameStyle } from "../http/frame-style.js";
import { queryFieldsOf } from "../http/query-of-url.js";
import { iconWith } from "./icon.js";

const scripts = [
  ...(["copy.js", "frame.js", "live.js", "map.js", "morph.js", "rows.js", "times.js", "zoom.js"] as const),
  ...(["live-worker.js", "touches.js", "zoom-chart.js"] as const),
] as const;

/** A script that a page may load. */
export type PageScript = (typeof scripts)[number];

const script = "text/javascript; charset=utf-8";
const styles = "text/css; charset=utf-8";
const drawing = "image/svg+xml";

/** Adds the assets of the pages, which load nothing from other servers. */
export function addAssets(app: FastifyInstance): void {
  const style = [
    frameStyle,
    ...["style.css", "forms.css", "overview.css", "charts.css"].map(readAsset),
    mapStyle("auto"),
    readAsset("map.css"),
  ].join("");
  const icon = assetOf("icon.svg");
  add(app, "style.css", styles, () => style);
  for (const name of scripts) {
    const text = readAsset(name);
    add(app, name, script, () => text);
  }
  // Only the chart that readers zoom into loads the library that draws it.
  add(app, "uplot.js", script, () => `${ofPlots("uPlot.iife.min.js")}\nexport default uPlot;\n`);
  add(app, "uplot.css", styles, () => ofPlots("uPlot.min.css"));
  add(app, "icon.svg", drawing, (query) => iconWith(icon, query.get("failed") ?? undefined));
}

function add(
  app: FastifyInstance,
  name: string,
  type: string,
  contentFor: (query: URLSearchParams) => string,
): void {
  app.get(`/assets/${name}`, { config: { role: "anyone", isAsset: true } }, async (request, reply) =>
    reply
      .headers({ "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" })
      .type(type)
      .send(contentFor(queryFieldsOf(request.url))),
  );
}

function readAsset(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), "utf8");
}

const plotTexts = new Map<string, string>();

/** A file of the package uPlot, read on the first request. */
function ofPlots(file: string): string {
  const known =
    plotTexts.get(file) ?? readFileSync(createRequire(import.meta.url).resolve(`uplot/dist/${file}`), "utf8");
  plotTexts.set(file, known);
  return known;
}
