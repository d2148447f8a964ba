import { expect, it, test } from "vitest";
import { figureText, mapFigures, rateText } from "../../../../src/platform/pages/map/map-figures.js";
import { handlersOf } from "../../../../src/platform/pages/map/maps.js";
import { layOut } from "../../../../src/store/tables/lay-out.js";
import { parseManifest } from "../../../../src/subgraph/manifest/parse-manifest.js";
import { readEntitySchema } from "../../../../src/subgraph/schema/read-entity-schema.js";
import { sampleMap } from "./sample-map.js";

const ran = (source: string, handler: string, count: bigint, perSecond = 0, type = "") => ({
  source,
  handler,
  type,
  count,
  perSecond,
});

function figuresOf(tokens: number, counts: readonly ReturnType<typeof ran>[]) {
  const { lines, handlers } = sampleMap(tokens);
  return mapFigures(lines, handlers, { handlers: { counts } });
}

const runsOf = (...given: Parameters<typeof figuresOf>) => Object.fromEntries(figuresOf(...given).runs);

it("the map adds up the counted entities of a type, and leaves out types that are not counted", () => {
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

it("the map adds up the runs of contracts that share their events", () => {
  const counts = [
    ran("Token1", "onTransfer", 30n, 3),
    ran("Token2", "onTransfer", 10n, 1),
    ran("Token1", "onMint", 5n, 0.5),
  ];
  expect(runsOf(2, counts)).toEqual({
    "handler Token1 Transfer(address)": { count: 40n, perSecond: 4 },
    "handler Token1 Mint(address)": { count: 5n, perSecond: 0.5 },
    "contract Token1": { count: 35n, perSecond: 3.5 },
    "contract Token2": { count: 10n, perSecond: 1 },
  });
});

it("the map adds up the runs of contracts that share a box", () => {
  const { diagram } = sampleMap(9);
  const [shared] = diagram.groups[0]?.contracts ?? [];
  const runs = runsOf(9, [ran("Token1", "onTransfer", 3n), ran("Token9", "onTransfer", 2n)]);
  expect(runs[shared?.key ?? ""]?.count).toBe(5n);
});

it("the map counts the stored entities of each handler by type, and of each panel", () => {
  const { stored } = figuresOf(2, [
    ran("Token1", "onTransfer", 3n, 0, "Transfer"),
    ran("Token2", "onTransfer", 2n, 0.5, "Transfer"),
    ran("Token1", "onTransfer", 6n, 0, "Account"),
    ran("Pool", "onSwap", 4n, 0, "Swap"),
  ]);
  const of = (key: string) => Object.fromEntries(stored.get(key) ?? []);
  expect(of("handler Token1 Transfer(address)")).toEqual({
    Transfer: { count: 5n, perSecond: 0.5 },
    Account: { count: 6n, perSecond: 0 },
  });
  expect(of("handler Token1 Mint(address)")).toEqual({});
  expect(of("handlers Pool")).toEqual({ Swap: { count: 4n, perSecond: 0 } });
});

it("the map shows no counts for events that share a handler, or for their contract", () => {
  const { runs, stored } = figuresOf(2, [
    ran("Factory", "onAny", 7n),
    ran("Factory", "onAny", 7n, 0, "Swap"),
    ran("Elsewhere", "onTransfer", 7n),
  ]);
  expect([runs.size, stored.size]).toEqual([0, 0]);
});

it("the map assigns no handler to events that are named twice with different handlers, or to contracts with the same name", () => {
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
        - { event: "B()", handler: onB }
  - { kind: ethereum, name: Twin, mapping: { eventHandlers: [{ event: "A()", handler: onA }] } }
  - { kind: ethereum, name: Twin, mapping: { eventHandlers: [{ event: "A()", handler: onA }] } }`).toData();
  const handlers = handlersOf({ specVersion: "1.2.0", schema: {}, dataSources });
  expect([...handlers].map(([name, known]) => [name, ...known])).toEqual([["Token", ["B()", "onB"]]]);
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

test.each([
  [0n, 0, undefined],
  [1_204n, 0, "1,204"],
  [1_204n, 12, "1,204 · 12/s"],
])("the count %s with the rate %s is written as %s", (count, perSecond, text) => {
  expect(figureText({ count, perSecond })).toBe(text);
});
