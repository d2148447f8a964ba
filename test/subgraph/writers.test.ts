import { describe, expect, it } from "vitest";
import type { Manifest } from "../../src/subgraph/manifest/manifest.js";
import { writersAt, writersOf } from "../../src/subgraph/writers.js";

const pool = `0x${"Ab".repeat(20)}`;
const manifest: Manifest = {
  schema: { file: "./schema.graphql" },
  dataSources: [
    {
      name: "Pool",
      source: { address: pool, startBlock: 10, endBlock: 20 },
      mapping: {
        eventHandlers: [
          { event: "Swap(uint256)", handler: "handleSwap" },
          { event: "Sync(uint256)", handler: "handleSync" },
        ],
        blockHandlers: [{ handler: "handleBlock" }],
      },
    },
  ],
  templates: [{ name: "Token", mapping: { callHandlers: [{ function: "mint()", handler: "handleMint" }] } }],
};
const stores = (...entities: string[]) => ({ entities, creates: [] });
const facts = new Map([
  [
    "Pool",
    new Map([
      ["Swap(uint256)", stores("Swap", "Day")],
      ["Sync(uint256)", stores("Sync")],
      ["every block", stores("Day")],
    ]),
  ],
  ["Token", new Map([["mint()", stores("Day")]])],
]);
const places = {
  sources: ["a.json"],
  files: new Map(),
  handlers: new Map([
    ["handleSwap", "a.json#/instances/0/enrich/handlers/Swap"],
    ["handleBlock", "a.json#/instances/0/enrich/handlers/block"],
  ]),
  stores: new Map([["handleSwap", new Map([["Day", "a.json:12"]])]]),
};

describe("the handlers that may store an entity type", () => {
  it("are named by the build, each with its line in the configuration, or else its handler", () => {
    const { all, isCertain } = writersOf(manifest, "Day", facts, places);
    expect(isCertain).toBe(true);
    expect(all.map(({ source, handler, place }) => [source, handler, place])).toEqual([
      ["Pool", "handleSwap", "a.json:12"],
      ["Pool", "handleBlock", "a.json#/instances/0/enrich/handlers/block"],
      ["Token", "handleMint", undefined],
    ]);
    expect(writersOf(manifest, "Swap", facts, undefined).all).toEqual([
      {
        source: "Pool",
        isTemplate: false,
        trigger: "Swap(uint256)",
        handler: "handleSwap",
        address: pool.toLowerCase(),
        startBlock: 10,
        endBlock: 20,
      },
    ]);
  });

  it("are all handlers when the build does not say which stores what, or leaves one out", () => {
    const unknown = writersOf(manifest, "Sync", undefined, undefined);
    expect([unknown.all.length, unknown.isCertain]).toEqual([4, false]);
    const less = new Map([...facts, ["Token", new Map()]]);
    const some = writersOf(manifest, "Sync", less, undefined);
    expect([some.all.map(({ handler }) => handler), some.isCertain]).toEqual([
      ["handleSync", "handleMint"],
      false,
    ]);
  });

  it("of a version are the handlers whose data source listened to its contract in its block", () => {
    const { all } = writersOf(manifest, "Day", facts, places);
    const at = (block: number, contract?: string) =>
      writersAt(all, block, contract).map(({ handler }) => handler);
    expect(at(10)).toEqual(["handleSwap", "handleBlock", "handleMint"]);
    expect(at(9)).toEqual(["handleMint"]);
    expect(at(21)).toEqual(["handleMint"]);
    expect(at(15, `0x${"cd".repeat(20)}`)).toEqual(["handleMint"]);
    expect(at(15, pool.toLowerCase())).toEqual(["handleSwap", "handleBlock", "handleMint"]);
  });
});
