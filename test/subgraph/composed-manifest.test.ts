import { expect, test } from "vitest";
import { factsOfManifest } from "../../src/subgraph/changes/manifest-facts.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { mapOfManifest } from "../../src/subgraph/map/manifest-map.js";
import { deploymentOf, filesOf } from "../runtime/composition/recorded-compositions.js";

const { manifest } = collectBuild(filesOf("C1"));
const types = ["A", "B", "T", "Full", "Skip"];

test("a comparison sees the source of a composed subgraph, and the entities that it handles", () => {
  const [facts] = factsOfManifest(manifest, () => "");
  expect(facts?.address).toBe(deploymentOf("S1"));
  expect(facts?.triggers.map(({ kind, signature }) => [kind, signature])).toEqual(
    types.map((type) => ["entity", type]),
  );
});

test("a map shows the entities that a composed subgraph handles", () => {
  const { groups } = mapOfManifest(manifest, "totals", ["Log"]);
  const triggers = groups.flatMap((group) => group.triggers.map(({ kind, text }) => [kind, text]));
  expect(triggers).toEqual(types.map((type) => ["entity", type]));
});
