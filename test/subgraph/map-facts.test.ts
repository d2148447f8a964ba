import { expect, it } from "vitest";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { mapOfManifest } from "../../src/subgraph/map/manifest-map.js";
import {
  largestMapFacts,
  type MapFacts,
  mapFactsPath,
  printMapFacts,
  readMapFacts,
} from "../../src/subgraph/map-facts.js";
import { unzipBundle } from "../../src/subgraph/unzip-bundle.js";
import { zipBuild } from "../../src/subgraph/zip-build.js";
import { sampleBuild } from "./sample-build.js";

const created = "PoolCreated(indexed address,indexed address,indexed uint24,int24,address)";
const facts: MapFacts = new Map([
  ["Factory", new Map([[created, { entities: ["Pool", "Pool", "Invented"], creates: ["Pool"] }]])],
]);

it("what handlers store comes along in a build's zip, and is no part of what is deployed", async () => {
  const build = sampleBuild();
  const more = { ...build, files: new Map([...build.files, [mapFactsPath, printMapFacts(facts)]]) };
  expect(linkBuild(more).deploymentId).toBe(linkBuild(build).deploymentId);
  const received = await unzipBundle(zipBuild(more));
  const collected = collectBuild({ manifest: "subgraph.yaml", files: received });
  expect(readMapFacts(collected.files.get(mapFactsPath) ?? "")).toEqual(facts);
});

it("a map has of it what the schema has, each once, and is the manifest's elsewhere", () => {
  const { groups, entities } = mapOfManifest(sampleBuild().manifest, "pools", ["Pool", "Swap"], facts);
  expect(groups.map(({ triggers, entities: together }) => [triggers[0]?.entities, together])).toEqual([
    [["Pool"], []],
    [[], ["Transfer"]],
    [[], ["Swap"]],
  ]);
  expect(groups[0]?.triggers[0]?.creates).toEqual(["Pool"]);
  expect(entities).toEqual(["Pool", "Swap", "Transfer"]);
});

it.each([
  ["is no JSON", "{"],
  ["is of another version", '{"version":2,"sources":[]}'],
  ["has no list", '{"version":1,"sources":{}}'],
  ["has a name that is none", '{"version":1,"sources":[[1,[]]]}'],
  ["has an entity type that is none", '{"version":1,"sources":[["A",[["B",[null],[]]]]]}'],
  ["is too large", `{"version":1,"sources":[]}${" ".repeat(largestMapFacts)}`],
])("what %s is refused", (_, content) => {
  expect(() => readMapFacts(content)).toThrow("graphloom.map.json is damaged");
});
