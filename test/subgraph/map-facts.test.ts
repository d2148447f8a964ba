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
  [
    "Factory",
    new Map([
      [
        created,
        {
          entities: ["Pool", "Pool", "Invented"],
          creates: ["Pool"],
          parameters: ["token0", "token1", "fee", "", "pool"],
          calls: ["ERC20.symbol"],
        },
      ],
      ["OwnerChanged()", { entities: [], creates: [] }],
    ]),
  ],
]);

it("the build puts what handlers store into the zip of a build, and not into the deployment", async () => {
  const build = sampleBuild();
  const more = { ...build, files: new Map([...build.files, [mapFactsPath, printMapFacts(facts)]]) };
  expect(linkBuild(more).deploymentId).toBe(linkBuild(build).deploymentId);
  const received = await unzipBundle(zipBuild(more));
  const collected = collectBuild({ manifest: "subgraph.yaml", files: received });
  expect(readMapFacts(collected.files.get(mapFactsPath) ?? "")).toEqual(facts);
});

it("the build limits the map's facts to the schema, once each, and takes the rest from the manifest", () => {
  const { groups, entities } = mapOfManifest(sampleBuild().manifest, "pools", ["Pool", "Swap"], facts);
  expect(groups.map(({ triggers, entities: together }) => [triggers[0]?.entities, together])).toEqual([
    [["Pool"], []],
    [[], ["Transfer"]],
    [[], ["Swap"]],
  ]);
  expect(groups[0]?.triggers[0]).toMatchObject({
    creates: ["Pool"],
    calls: ["ERC20.symbol"],
    parameters: ["token0", "token1", "fee", "", "pool"],
  });
  expect(entities).toEqual(["Pool", "Swap", "Transfer"]);
});

it.each([
  ["that is not JSON", "{"],
  ["of a different version", '{"version":2,"sources":[]}'],
  ["without a list", '{"version":1,"sources":{}}'],
  ["with a name that is not a string", '{"version":1,"sources":[[1,[]]]}'],
  ["with an entity type that is not a string", '{"version":1,"sources":[["A",[["B",[null],[]]]]]}'],
  ["with a call that is not a string", '{"version":1,"sources":[["A",[["B",[],[],[],[7]]]]]}'],
  ["that is too large", `{"version":1,"sources":[]}${" ".repeat(largestMapFacts)}`],
])("the build refuses a file of facts %s", (_, content) => {
  expect(() => readMapFacts(content)).toThrow("graphloom.map.json is damaged");
});
