import { expect, test } from "vitest";
import { ActiveSources } from "../../../src/runtime/indexer/active-sources.js";
import type { DataSource, Feature } from "../../../src/subgraph/runnable/built-subgraph.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";

const template = {
  abi: "Abi",
  abis: new Map(),
  module: "m.wasm",
  eventHandlers: [],
  callHandlers: [],
  blockHandlers: [],
};
const static1: DataSource = {
  ...template,
  name: "Factory",
  address: `0x${"a".repeat(40)}`,
  startBlock: 2,
  context: new Map(),
};

function sourcesOf(...dataSources: readonly DataSource[]): ActiveSources {
  const built = {
    network: "mainnet",
    specVersion: "1.3.0",
    apiVersion: "0.0.9",
    schema: "",
    features: new Set<Feature>(),
    entities: readEntitySchema("type P @entity { id: ID! }"),
    templates: [{ ...template, name: "Child" }],
  };
  const modules = new Map([["m.wasm", new Uint8Array()]]);
  const mapping = { exports: new Set<string>(), run: () => undefined };
  return new ActiveSources({ ...built, modules, dataSources }, () => mapping);
}

test("indexing ends with the last source of the manifest, even if it has created sources", () => {
  const sources = sourcesOf({ ...static1, endBlock: 7 }, { ...static1, name: "Other", endBlock: 23 });
  expect(sources.lastBlock).toBe(23);
  sources.create({ template: "Child", address: `0x${"b".repeat(40)}`, creationBlock: 5 });
  expect(sources.lastBlock).toBe(23);
});

test("indexing does not end if a source of the manifest has no end", () => {
  expect(sourcesOf({ ...static1, endBlock: 7 }, static1).lastBlock).toBe(Number.POSITIVE_INFINITY);
});
