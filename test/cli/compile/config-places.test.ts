import { expect, it } from "vitest";
import { configPlaces, withConfigPlaces } from "../../../src/cli/compile/config-places.js";
import { adjustBuild } from "../../../src/subgraph/adjust-build.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import {
  configPlacesPath,
  printConfigPlaces,
  readConfigPlaces,
} from "../../../src/subgraph/config-places.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { unzipBundle } from "../../../src/subgraph/unzip-bundle.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";

/** A configuration whose second line contains `"ab\\tc"`. */
const source = { path: "/home/somebody/pools.json", text: '{\n "ab\\tc"}' };
const pointer = "/instances/0/enrich/handlers/Swap/entities/Trade/note string";
const starts = [4, 5, 6, 8, 9];
const at = { source, pointer, start: 3, end: 10 };
const part = (from: number, to: number) => ({ ...at, start: starts[from] ?? 0, end: starts[to] ?? 0 });
const expression = { value: "ab\tc", at, part };
const piece = { line: 5, column: 7, length: 4, offset: 0, what: "the value of Trade.note" };
const origins = new Map([["src/pools.ts", [{ ...piece, expression, handler: "handleSwap" }]]]);

it("the map of places maps a build to the places of its expressions, also after an escaped character", () => {
  expect(configPlaces(origins, undefined)).toEqual({
    sources: ["pools.json"],
    files: new Map([
      [
        "src/pools.ts",
        [
          [5, 7, 3, 0, 2, 3],
          [5, 10, 1, 0, 2, 7],
        ],
      ],
    ]),
    handlers: new Map([["handleSwap", "pools.json#/instances/0/enrich/handlers/Swap"]]),
    stores: new Map([["handleSwap", new Map([["Trade", "pools.json:2"]])]]),
    texts: [[0, 2, 1, ' "ab\\tc"}']],
    expressions: new Map([["handleSwap", [[0, 2, 3, 5, "the value of Trade.note"]]]]),
  });
});

it("code that no expression describes leads to the line of the user's own function, also in a build without expressions", () => {
  const plain = {
    name: "handleSync",
    trigger: "event" as const,
    signature: "Sync()",
    parameters: [],
    calls: [],
    entities: ["Swap", "Trade"],
    creates: [],
  };
  const handler = { ...plain, name: "handleSwap", own: { ...at, start: 0, end: 1 } };
  const model = { modules: [{ handlers: [plain, handler] }] };
  const stores = (lines: readonly [string, string][]) => new Map([["handleSwap", new Map(lines)]]);
  expect(configPlaces(origins, model).stores).toEqual(
    stores([
      ["Trade", "pools.json:2"],
      ["Swap", "pools.json:1"],
    ]),
  );
  const { files } = withConfigPlaces(sampleBuild(), new Map(), model);
  expect(readConfigPlaces(files.get(configPlacesPath) ?? "").stores).toEqual(
    stores([
      ["Swap", "pools.json:1"],
      ["Trade", "pools.json:1"],
    ]),
  );
});

it("the map of places keeps the parts of long lines around expressions, and omits lines that are too long", () => {
  const long = { path: "pools.json", text: `{${" ".repeat(500)}"aaaa"${" ".repeat(100)}"bbbb"}` };
  const from = (text: string) => {
    const start = long.text.indexOf(text);
    const at = { source: long, pointer: "", start, end: start + 4 };
    const expression = {
      value: text,
      at,
      part: (first: number, last: number) => ({ ...at, start: start + first, end: start + last }),
    };
    return { ...piece, column: 1, expression, handler: "handleSwap" };
  };
  const places = (text: string) =>
    configPlaces(
      new Map([["src/pools.ts", [from("aaaa"), from("bbbb")].map((origin) => ({ ...origin, what: text }))]]),
      undefined,
    );
  expect(places("").texts).toEqual([[0, 1, 383, `${" ".repeat(119)}"aaaa"${" ".repeat(100)}"bbbb"}`]]);
  const huge = withConfigPlaces(
    sampleBuild(),
    new Map([["src/pools.ts", [{ ...from("aaaa"), what: "x".repeat(1_000_000) }]]]),
    undefined,
  );
  const kept = readConfigPlaces(huge.files.get(configPlacesPath) ?? "");
  expect([kept.sources, kept.texts]).toEqual([["pools.json"], undefined]);
});

it("the map of places includes the places in the zip of a build, but not in the deployment", async () => {
  const build = sampleBuild();
  const more = withConfigPlaces(build, origins, undefined);
  const { deploymentId, files } = linkBuild(more);
  expect(deploymentId).toBe(linkBuild(build).deploymentId);
  expect(files.map(({ path }) => path)).not.toContain(configPlacesPath);
  const adjusted = adjustBuild(more, { startBlock: 77 });
  const received = await unzipBundle(zipBuild(adjusted));
  const collected = collectBuild({ manifest: "subgraph.yaml", files: received });
  expect([...collected.files.keys()]).toEqual([...adjusted.files.keys()]);
  const content = Buffer.from(collected.files.get(configPlacesPath) ?? []);
  expect(content).toEqual(Buffer.from(printConfigPlaces(configPlaces(origins, undefined))));
});
