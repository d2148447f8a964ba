import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configPlaces } from "../../../src/cli/compile/config-places.js";
import { withMapFacts } from "../../../src/cli/compile/map-facts.js";
import { compile, createNodeHost } from "../../../src/exports/index.js";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";
import { mapFactsPath, readMapFacts } from "../../../src/subgraph/map-facts.js";
import { writersOf } from "../../../src/subgraph/writers.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { exampleNames, examples } from "../../support/compiler/examples.js";

interface Instance {
  readonly enrich?: { readonly handlers?: Readonly<Record<string, { readonly entities?: object }>> };
}

/** The line of a place like `subgraph.json:12`, and those above it up to the next `entities`. */
function linesAbove(text: string, place: string): string {
  const number = Number(/^subgraph\.json:(\d+)$/.exec(place)?.[1]);
  const above = text.split("\n").slice(0, number);
  return above.slice(above.findLastIndex((line) => line.includes('"entities"'))).join("\n");
}

it.each(
  exampleNames,
)("each entity that the example %s describes has handlers that lead to the line that describes it", async (name) => {
  const folder = join(examples, name);
  const text = readFileSync(join(folder, "subgraph.json"), "utf8");
  const { ok, files, origins, model } = await compile("subgraph.json", createNodeHost({ cwd: folder }));
  if (!ok || !model) throw new Error(`${name} does not compile`);
  const places = configPlaces(origins);
  const described = (JSON.parse(text).instances as readonly Instance[]).flatMap(({ enrich }) =>
    Object.values(enrich?.handlers ?? {}).flatMap(({ entities = {} }) => Object.keys(entities)),
  );
  for (const { chain } of model.chains) {
    const path = model.chains.length > 1 ? `subgraph.${chain}.yaml` : "subgraph.yaml";
    const manifest = parseManifest(String(files.get(path))).toData();
    const facts = withMapFacts(sampleBuild(), model, chain).files.get(mapFactsPath);
    const writersFor = (type: string) => writersOf(manifest, type, facts && readMapFacts(facts), places);
    for (const { name: type } of model.entities) {
      const { all, isCertain } = writersFor(type);
      expect([type, all.length > 0, isCertain]).toEqual([type, true, true]);
      const lines = all.flatMap(({ place }) => (place?.includes("#") ? [] : (place ?? [])));
      for (const line of lines) expect(linesAbove(text, line)).toContain(`"${type}"`);
      if (described.includes(type)) expect([type, lines.length > 0]).toEqual([type, true]);
    }
  }
});
