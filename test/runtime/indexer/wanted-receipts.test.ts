import { id } from "ethers";
import { expect, test } from "vitest";
import { ActiveSources } from "../../../src/runtime/indexer/active-sources.js";
import { matchTriggers } from "../../../src/runtime/indexer/triggers/triggers.js";
import type { Mapping } from "../../../src/runtime/wasm/mapping.js";
import { Abi } from "../../../src/subgraph/abi.js";
import { readEntitySchema } from "../../../src/subgraph/schema/read-entity-schema.js";
import { block, log } from "../wasm/probe.js";

const events = ["A", "B"].map((name) => ({ type: "event", name, inputs: [] }));
const abi = new Abi("Abi", JSON.stringify(events));
const mapping: Mapping = { exports: new Set(["handle"]), run: () => undefined };

/** Data sources of one address, each with event handlers that need a receipt or not. */
function sourcesOf(...all: readonly Readonly<Record<string, boolean>>[]): ActiveSources {
  const dataSources = all.map((handlers, index) => ({
    name: `Source${index}`,
    abi: "Abi",
    abis: new Map([["Abi", abi]]),
    module: "m.wasm",
    eventHandlers: Object.entries(handlers).map(([name, receipt]) => {
      const event = `${name}()`;
      return { event, topic0: id(event), topicFilters: [], handler: "handle", receipt, calls: [] };
    }),
    callHandlers: [],
    blockHandlers: [],
    address: log.address,
    startBlock: 0,
    context: new Map(),
  }));
  const built = {
    network: "mainnet",
    specVersion: "1.3.0",
    apiVersion: "0.0.9",
    schema: "",
    entities: readEntitySchema("type P @entity { id: ID! }"),
    templates: [],
    features: new Set<never>(),
    modules: new Map([["m.wasm", new Uint8Array()]]),
  };
  return new ActiveSources({ ...built, dataSources }, () => mapping);
}

test.each([
  ["all handlers of a log when one of them needs it", [{ A: true }, { A: false }], [true, true]],
  ["no handler when only a different event needs it", [{ B: true }, { A: false }], [false]],
  ["no handler when none needs it", [{ A: false }, { A: false }], [false, false]],
])("a receipt is passed to %s", (_, wanted: readonly Readonly<Record<string, boolean>>[], expected) => {
  const logs = [{ ...log, topics: [id("A()")], data: "0x" }];
  const matches = matchTriggers({ logs, calls: [] }, block.number, sourcesOf(...wanted));
  expect(matches.map((match) => match.kind === "event" && match.receipt)).toEqual(expected);
});
