import { expect, it } from "vitest";
import { findings } from "./harness.js";

const config = (enrich: object): Record<string, string> => ({
  "c.json": JSON.stringify({
    version: "1",
    abis: {
      A: [
        { type: "event", name: "E", inputs: [] },
        { type: "function", name: "f", stateMutability: "view", inputs: [], outputs: [{ type: "bool" }] },
      ],
    },
    instances: [
      {
        abi: "A",
        address: "0x00000000000000000000000000000000000000a1",
        startBlock: 1,
        chain: "mainnet",
        enrich,
      },
    ],
  }),
});
const handled = (handler: object): Record<string, string> => config({ handlers: { E: handler } });
const fields = { "a bool": "true" };

it.each<[string, Record<string, string>, string[]]>([
  ["no handlers", config({ handlers: {} }), ['warning empty-setting "handlers"']],
  ["no entities", handled({ entities: {} }), ['warning empty-setting "entities"']],
  [
    "neither calls nor entities",
    handled({ calls: {}, entities: {} }),
    ['note empty-setting "calls"', 'warning empty-setting "entities"'],
  ],
  ["no calls", handled({ calls: {}, entities: { X: fields } }), ['note empty-setting "calls"']],
  ["no fields", handled({ entities: { X: {} } }), ['note empty-setting "X"']],
  [
    "no fields in a list",
    handled({
      entities: {
        X: [
          { id: '"1"', mapping: {} },
          { id: '"2"', mapping: fields },
        ],
      },
    }),
    ['note empty-setting "mapping"'],
  ],
  ["no empty options", config({ options: {}, handlers: { E: { entities: { X: fields } } } }), []],
  [
    "an error beside it, which comes first",
    handled({ entities: {}, calls: { c: { name: "g" } } }),
    ['error unknown-function "g"'],
  ],
])("the compiler reports empty settings where they matter: %s", async (_name, files, want) => {
  const { found } = await findings("compile", files);
  expect(found.map((line) => line.replace(/ \d+:\d+/, ""))).toEqual(want);
});
