import { describe, expect, it, test } from "vitest";
import {
  configExcerpts,
  configPlaceOf,
  printConfigPlaces,
  readConfigPlaces,
} from "../../src/subgraph/config-places.js";

const places = {
  sources: ["a.json", "b.json"],
  files: new Map([["src/a.ts", [[4, 5, 3, 0, 20, 41] as const, [4, 8, 10, 1, 7, 1] as const]]]),
  handlers: new Map([["handleA", "a.json#/instances/0/enrich/handlers/A()"]]),
  stores: new Map([["handleA", new Map([["Pool", "a.json:12"]])]]),
  texts: [[0, 20, 29, '  "value": "amount / none",'] as const],
  expressions: new Map([["handleA", [[0, 20, 41, 13, "the value of A.value"] as const]]]),
};

describe("the places of a build in its configuration", () => {
  it("are read back unchanged", () => {
    expect(readConfigPlaces(printConfigPlaces(places))).toEqual(places);
  });

  it("may have been written before they recorded what handlers store", () => {
    const old = '{"version":1,"sources":[],"files":[],"handlers":[]}';
    expect(readConfigPlaces(old).stores).toEqual(new Map());
  });

  it.each([
    [{ file: "src/a.ts", line: 4, column: 7 }, "a.json:20:43"],
    [{ file: "src/a.ts", line: 4, column: 8 }, "b.json:7:1"],
    [{ file: "src/a.ts", line: 4, column: 18 }, "a.json#/instances/0/enrich/handlers/A()"],
    [{ file: "src/b.ts", line: 4, column: 7 }, "a.json#/instances/0/enrich/handlers/A()"],
    [undefined, "a.json#/instances/0/enrich/handlers/A()"],
  ])("lead from %j to %s", (at, place) => {
    expect(configPlaceOf(places, at, "handleA")).toBe(place);
  });

  it("quote the line with the expression that failed, from the place of the failure on", () => {
    const common = { source: "a.json", line: 20, what: "the value of A.value" };
    expect(configExcerpts(places, { file: "src/a.ts", line: 4, column: 6 }, "handleA")).toEqual([
      { ...common, column: 42, before: '  "value": "a', marked: "mo", after: 'unt / none",' },
    ]);
    expect(configExcerpts(places, undefined, "handleA")).toEqual([
      { ...common, column: 41, before: '  "value": "', marked: "amount / none", after: '",' },
    ]);
    // There is no text of the other configuration.
    expect(configExcerpts(places, { file: "src/a.ts", line: 4, column: 8 }, "handleA")).toEqual([]);
    expect(configExcerpts(places, undefined, "handleB")).toEqual([]);
  });

  it("quote no line for a handler with many expressions, and in builds without lines", () => {
    const expressions = new Map([["handleA", Array.from({ length: 7 }, () => [0, 20, 41, 13, ""] as const)]]);
    expect(configExcerpts({ ...places, expressions }, undefined, "handleA")).toEqual([]);
    const { texts: _, expressions: __, ...old } = places;
    expect(readConfigPlaces(printConfigPlaces(old))).toEqual(old);
    expect(configExcerpts(old, undefined, "handleA")).toEqual([]);
  });

  it("are unknown for a handler that is not listed", () => {
    expect(configPlaceOf(places, undefined, "toString")).toBeUndefined();
  });

  test.each([
    ["is not in version 1 of its format", "[]"],
    ["is not in version 1 of its format", '{"version":2}'],
    ["is damaged", '{"version":1,"sources":[1],"files":[],"handlers":[]}'],
    ["is damaged", '{"version":1,"sources":[],"files":[["a",[[1,1,1,0,1,1]]]],"handlers":[]}'],
    ["is damaged", '{"version":1,"sources":["a"],"files":[["a",[[1,1,1,0,1]]]],"handlers":[]}'],
    ["is damaged", '{"version":1,"sources":["a"],"files":[["a",[[1,1,1,0.5,1,1]]]],"handlers":[]}'],
    ["is damaged", '{"version":1,"sources":["a"],"files":[],"handlers":{}}'],
    ["is damaged", '{"version":1,"sources":[],"files":[],"handlers":[],"stores":[["a",[["Pool",1]]]]}'],
    [
      "is damaged",
      '{"version":1,"sources":["a"],"files":[],"handlers":[],"texts":[[1,1,1,""]],"expressions":[]}',
    ],
    [
      "is damaged",
      '{"version":1,"sources":["a"],"files":[],"handlers":[],"texts":[[0,1,1]],"expressions":[]}',
    ],
    ["is damaged", '{"version":1,"sources":["a"],"files":[],"handlers":[],"texts":[]}'],
    ["has more than 1,000,000 bytes", `"${" ".repeat(1_000_000)}"`],
  ])("are refused when their file %s (case %#)", (why, content) => {
    expect(() => readConfigPlaces(content)).toThrow(`graphloom.places.json ${why}`);
  });
});
