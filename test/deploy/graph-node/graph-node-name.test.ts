import fc from "fast-check";
import { expect, it, test } from "vitest";
import { graphNodeName } from "../../../src/deploy/graph-node/graph-node-target.js";
import { propertyRun } from "../../support/property/property-run.js";

test.each([
  ["pools", "1.0.0", "pools/v1-0-0"],
  ["pools", "1.0.0+a", "pools/1-0-0-a"],
  ["pools", "1.0.0-demo+docs", "pools/1-0-0-demo-docs"],
  ["pools-base", "prod", "pools-base/prod"],
  ["Pools_2", "v1_0", "Pools_2/v1_0"],
  ["pools_", "1.0.", "pools/v1-0"],
  ["_pools-", "a..+b", "pools/a-b"],
  ["a/b", "1", "a-b/v1"],
  ["pools", "graphql", "pools/graphql-version"],
  ["graphql", "1.0.0", "graphql-subgraph/v1-0-0"],
  ["1", "2", "subgraph-1/v2"],
  ["pools", "2024_05", "pools/v2024_05"],
  ["pools", "1.0.0-rc1", "pools/1-0-0-rc1"],
  ["pöls", "ü1", "p-ls/v1"],
])("%s in version %s is called %s", (name, version, expected) => {
  expect(graphNodeName(name, version)).toBe(expected);
});

it("graphNodeName returns a name that graph-node accepts for every name that the API accepts", () => {
  const name = fc.stringMatching(/^[a-zA-Z][\w-]{0,60}$/);
  const version = fc.stringMatching(/^[a-zA-Z0-9][\w+.-]{0,60}$/);
  fc.assert(
    fc.property(name, version, (subgraph, label) => {
      const parts = graphNodeName(subgraph, label).split("/");
      expect(parts).toHaveLength(2);
      for (const part of parts) {
        expect(part).toMatch(/^(?!graphql$)[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$/);
        expect(part).toMatch(/[A-Za-z]/);
      }
    }),
    propertyRun(),
  );
});

it("graphNodeName rejects a name without a single letter or digit", () => {
  expect(() => graphNodeName("pools", "+.+")).toThrow(
    'The version "+.+" has no letter or digit, but graph-node requires one; choose a different name',
  );
  expect(() => graphNodeName("é", "1")).toThrow('The subgraph "é" has no letter or digit');
});

it("graphNodeName rejects a name of more than 255 characters", () => {
  expect(graphNodeName("x".repeat(252), "1")).toHaveLength(255);
  expect(() => graphNodeName("x".repeat(253), "1")).toThrow(
    "has 256 characters, but graph-node allows at most 255",
  );
});
