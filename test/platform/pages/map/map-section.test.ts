import { expect, it, test } from "vitest";
import { mapSection } from "../../../../src/platform/pages/map/map-section.js";
import { drawableMap } from "../../../../src/platform/pages/map/maps.js";
import { sampleMap } from "./sample-map.js";

const around = { address: "/map.svg", addressOf: (type: string) => `/data/${type}` };

function sectionOf(known: Partial<Parameters<typeof mapSection>[1]> = {}): string {
  const { map, handlers } = sampleMap();
  return mapSection({ map, handlers, isWhole: true }, { ...around, ...known }).markup;
}

it("the map shows counts on the lines of handlers, and explains its numbers in words", () => {
  const transfer = { source: "Token1", handler: "onTransfer", perSecond: 0.5 };
  const counts = [
    { ...transfer, type: "", count: 1_204n },
    { ...transfer, type: "Account", count: 2_408n },
  ];
  const section = sectionOf({ handlers: { counts } });
  const figures = [...section.matchAll(/<text class="figure"([^>]*)>([^<]*)</g)].map(([, ends, text]) => [
    ...(ends?.match(/(?<=data-\w+=")[^"]*/g) ?? []),
    text,
  ]);
  expect(figures).toEqual([
    ["contract Token1", "handlers Token1", "1,204 · 30/min"],
    ["handler Token1 Transfer(address)", "entity Account", "2,408 · 30/min"],
  ]);
  expect(section).toContain("Both count since the first block;");
  expect(sectionOf({ handlers: { after: 4_099, counts } })).toContain("Both count since block 4,100;");
});

it("the map says that handlers are not counted where another program indexes", () => {
  const section = sectionOf();
  expect(section).not.toContain("Both count");
  expect(section).toContain("is known only of subgraphs that graphloom itself has indexed");
});

test("a map that is too large to be drawn at each visit is a sentence", () => {
  const { map, handlers } = sampleMap();
  const [group] = map.groups;
  const [trigger] = group?.triggers ?? [];
  if (!group || !trigger) throw new Error("the sample has groups");
  const of = (count: number) => ({
    ...map,
    groups: [
      { ...group, triggers: Array.from({ length: count }, () => ({ ...trigger, entities: ["Swap"] })) },
    ],
  });
  const shown = { map: of(2_400), handlers, isWhole: true };
  expect(drawableMap(shown)).toBe(shown);
  expect(drawableMap({ ...shown, map: of(2_600) })).toContain("too many contracts, events and entity types");
  expect(drawableMap(undefined)).toContain("No map is available");
});
