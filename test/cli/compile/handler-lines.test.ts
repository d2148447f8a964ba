import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { configPlaces } from "../../../src/cli/compile/config-places.js";
import { withMapFacts } from "../../../src/cli/named/named-builds.js";
import { compile, createNodeHost } from "../../../src/exports/index.js";
import { parseManifest } from "../../../src/subgraph/manifest/parse-manifest.js";
import { mapFactsPath, readMapFacts } from "../../../src/subgraph/map-facts.js";
import { writersOf } from "../../../src/subgraph/writers.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { exampleNames, examples } from "../../support/compiler/examples.js";

interface Instance {
  readonly enrich?: {
    readonly handlers?: Readonly<Record<string, { readonly handler?: string; readonly entities?: object }>>;
  };
}

/** The lines of a text up to the one of a place like `subgraph.json:12`. */
function linesUpTo(text: string, place: string): readonly string[] {
  return text.split("\n").slice(0, Number(/^subgraph\.json:(\d+)$/.exec(place)?.[1]));
}

/** The line of a place, and those above it up to the next `entities`. */
function linesAbove(text: string, place: string): string {
  const above = linesUpTo(text, place);
  return above.slice(above.findLastIndex((line) => line.includes('"entities"'))).join("\n");
}

/** The name of the function of the user's own in the line of a place, if that is what the line has. */
function ownIn(text: string, place: string): string | undefined {
  return /^ *"handler": "(\w+)"/.exec(linesUpTo(text, place).at(-1) ?? "")?.[1];
}

/** Every handler of an example, as its configuration has it. */
function handlersOf(text: string) {
  const { instances } = JSON.parse(text) as { readonly instances: readonly Instance[] };
  return instances.flatMap(({ enrich }) => Object.values(enrich?.handlers ?? {}));
}

it.each(
  exampleNames,
)("in the example %s, the handlers of each entity lead to the line that describes it or names the function that stores it", async (name) => {
  const folder = join(examples, name);
  const text = readFileSync(join(folder, "subgraph.json"), "utf8");
  const { ok, files, origins, model } = await compile("subgraph.json", createNodeHost({ cwd: folder }));
  if (!ok || !model) throw new Error(`${name} does not compile`);
  const places = configPlaces(origins, model);
  const described = handlersOf(text).flatMap(({ entities = {} }) => Object.keys(entities));
  const called = new Set<string>();
  for (const { chain } of model.chains) {
    const path = model.chains.length > 1 ? `subgraph.${chain}.yaml` : "subgraph.yaml";
    const manifest = parseManifest(String(files.get(path))).toData();
    const facts = withMapFacts(sampleBuild(), model, chain).files.get(mapFactsPath);
    const writersFor = (type: string) => writersOf(manifest, type, facts && readMapFacts(facts), places);
    for (const { name: type } of model.entities) {
      const { all, isCertain } = writersFor(type);
      expect([type, all.length > 0, isCertain]).toEqual([type, true, true]);
      const lines = all.flatMap(({ place }) => (place?.includes("#") ? [] : (place ?? [])));
      for (const line of lines) {
        const own = ownIn(text, line);
        if (own === undefined) expect(linesAbove(text, line)).toContain(`"${type}"`);
        else called.add(own);
      }
      if (described.includes(type)) expect([type, lines.length > 0]).toEqual([type, true]);
    }
  }
  expect([...called].sort()).toEqual(
    [...new Set(handlersOf(text).flatMap(({ handler = [] }) => handler))].sort(),
  );
});
