import { expect, it, test } from "vitest";
import { mapFigures, rateText } from "../../../../src/platform/pages/map/map-figures.js";
import { handlersOf } from "../../../../src/platform/pages/map/maps.js";
import { layOut } from "../../../../src/store/tables/lay-out.js";
import { parseManifest } from "../../../../src/subgraph/manifest/parse-manifest.js";
import { readEntitySchema } from "../../../../src/subgraph/schema/read-entity-schema.js";
import { sampleMap } from "./sample-map.js";

const rate = (source: string, handler: string, perSecond: number) => ({ source, handler, perSecond });

function ratesOf(tokens: number, rates: readonly ReturnType<typeof rate>[]) {
  const { lines, handlers } = sampleMap(tokens);
  return Object.fromEntries(mapFigures(lines, handlers, { rates }).rates);
}

it("adds up the counted entities of a type, and leaves out types that are not counted", () => {
  const schema = `type Point @entity(timeseries: true) { id: Int8! timestamp: Timestamp! value: BigDecimal! }
    type Hours @aggregation(intervals: ["hour", "day"], source: "Point") {
      id: Int8! timestamp: Timestamp! sum: BigDecimal! @aggregate(fn: "sum", arg: "value")
    }
    type Account @entity { id: ID! }`;
  const layout = layOut(readEntitySchema(schema), "sgd1");
  const hours = layout.tables.filter(({ type }) => type === "Hours").map(({ name }) => name);
  expect(hours.length).toBe(2);
  const counts = new Map([...hours.map((name) => [name, 5n] as const), ["point", 2n ** 60n]]);
  const { lines, handlers } = sampleMap();
  const { entities } = mapFigures(lines, handlers, { layout, counts });
  expect([...entities]).toEqual([
    ["Point", 2n ** 60n],
    ["Hours", 10n],
  ]);
});

it("adds up the rates of contracts that share their events", () => {
  const rates = [
    rate("Token1", "onTransfer", 3),
    rate("Token2", "onTransfer", 1),
    rate("Token1", "onMint", 0.5),
  ];
  expect(ratesOf(2, rates)).toEqual({
    "handler Token1 Transfer(address)": 4,
    "handler Token1 Mint(address)": 0.5,
    "contract Token1": 3.5,
    "contract Token2": 1,
  });
});

it("adds up the rates of contracts that share a box", () => {
  const { diagram } = sampleMap(9);
  const [shared] = diagram.groups[0]?.contracts ?? [];
  const rates = ratesOf(9, [rate("Token1", "onTransfer", 3), rate("Token9", "onTransfer", 2)]);
  expect(rates[shared?.key ?? ""]).toBe(5);
});

it("shows no rate for events that share a handler, because their runs are counted together", () => {
  expect(ratesOf(2, [rate("Factory", "onAny", 7), rate("Elsewhere", "onTransfer", 7)])).toEqual({});
});

it("shows no rate for events that are named twice with different handlers, because it is unknown which ran", () => {
  const { dataSources } = parseManifest(`
specVersion: 1.2.0
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Token
    mapping:
      eventHandlers:
        - { event: "A()", handler: onOne }
        - { event: "A()", handler: onTwo, topic1: ["0x01"] }
        - { event: "B()", handler: onB }`).toData();
  expect([...(handlersOf({ specVersion: "1.2.0", schema: {}, dataSources }).get("Token") ?? [])]).toEqual([
    ["B()", "onB"],
  ]);
});

test.each([
  [undefined, undefined],
  [0, undefined],
  [0.004, undefined],
  [0.25, "15/min"],
  [9, "9/s"],
  [1.26, "1.3/s"],
  [12.4, "12/s"],
  [12_345, "12,345/s"],
])("the rate %s is written as %s", (perSecond, text) => {
  expect(rateText(perSecond)).toBe(text);
});
