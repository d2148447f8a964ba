import { describe, expect, test } from "vitest";
import { address, dataSource, edited, findings, minimal, template, transfer } from "../harness.js";

const without = (one: object, key: string): object =>
  Object.fromEntries(Object.entries(one).filter(([name]) => name !== key));
const instance = (changes: object, missing = ""): object =>
  minimal({ instances: [{ ...without(dataSource, missing), ...changes }] });
const source = (changes: object, missing: string): object =>
  minimal({
    instances: [dataSource, { ...template, source: { ...without(template.source, missing), ...changes } }],
  });
const handled = (handler: object): object =>
  instance({ enrich: { handlers: { "E(address)": { entities: { X: { "a uint8": "1" } }, ...handler } } } });
const call = (changes: object): object => handled({ calls: { c: { name: "f", ...changes } } });
const unnamed = (changes: object): object => handled({ calls: { c: changes } });
const handler = { entities: { X: { "a uint8": "1" } } };

describe("a different word for a setting", () => {
  test.each<[string, object, string]>([
    ["network", instance({ network: "mainnet" }, "chain"), '"network" -> chain'],
    ["chainId", instance({ chainId: 1 }, "chain"), '"chainId" -> chain'],
    ["a name as chainId", instance({ chainId: "mainnet" }, "chain"), '"chainId" -> chain'],
    ["contract", instance({ contract: address }, "address"), '"contract" -> address'],
    ["contractAddress", instance({ contractAddress: address }, "address"), '"contractAddress" -> address'],
    ["contract_address", instance({ contract_address: address }, "address"), '"contract_address" -> address'],
    ["contract, an ABI", instance({ contract: "a" }, "abi"), '"contract" -> abi'],
    ["fromBlock", instance({ fromBlock: 7 }, "startBlock"), '"fromBlock" -> startBlock'],
    ["enrichments", instance({ enrichments: { handlers: {} } }), '"enrichments" -> enrich'],
    ["event", source({ event: "E(address)" }, "eventSignature"), '"event" -> eventSignature'],
    ["signature", source({ signature: "E(address)" }, "eventSignature"), '"signature" -> eventSignature'],
    ["param", source({ param: "who" }, "addressParam"), '"param" -> addressParam'],
    ["callHandlers", minimal({ callHandlers: true }), '"callHandlers" -> enableCallHandlers'],
    ["method", unnamed({ method: "f" }), '"method" -> name'],
    ["function", unnamed({ function: "f" }), '"function" -> name'],
    ["args", call({ args: "event.params.who" }), '"args" -> params'],
    ["contract of a call", call({ contract: "event.params.who" }), '"contract" -> source'],
    ["contractAddress of a call", call({ contractAddress: address }), '"contractAddress" -> source'],
    ["address of a call", call({ address: "event.address" }), '"address" -> source'],
    ["contract of a call, an ABI", call({ contract: "a" }), '"contract" -> abi'],
    [
      "eventHandlers",
      instance({ enrich: { eventHandlers: { "E(address)": handler } } }),
      '"eventHandlers" -> handlers',
    ],
    [
      "fields",
      handled({ entities: { X: [{ id: "1", fields: { "a uint8": "1" } }] } }),
      '"fields" -> mapping',
    ],
  ])("is corrected when the value fits: %s", async (_name, config, want) => {
    const errors = (await findings(config)).filter(({ severity }) => severity === "error");
    expect(errors.map(({ fix = [] }) => fix.map(edited))).toEqual([[want]]);
    const word = want.slice(want.indexOf("-> ") + 3);
    expect(errors.map(({ label, hint }) => [label, hint])).toEqual([
      [`it is called "${word}" here`, `rename it to "${word}"`],
    ]);
  });
});

describe("a setting in the wrong place", () => {
  const enriched = (enrich: object): object => instance({ enrich });
  test.each<[string, object, string, string[]]>([
    [
      "a signature under enrich",
      enriched({ "E(address)": handler }),
      'write "handlers": { "E(address)": … }',
      ["E(address) into handlers"],
    ],
    [
      "a name under enrich that has entities",
      enriched({ E: handler }),
      'write "handlers": { "E": … }',
      ["E into handlers"],
    ],
    [
      "a name under enrich that has something",
      enriched({ E: { X: { "a uint8": "1" } } }),
      'write "handlers": { "E": … }',
      [],
    ],
    [
      "an entity right under its signature",
      enriched({ handlers: { "E(address)": { X: { "a uint8": "1" } } } }),
      'write "entities": { "X": … }',
      ["X into entities"],
    ],
    [
      "a list of entities right under its signature",
      enriched({ handlers: { "E(address)": { X: [{ id: '"1"', mapping: {} }] } } }),
      'write "entities": { "X": … }',
      ["X into entities"],
    ],
    [
      "a call right under its signature",
      handled({ c: { name: "f", params: "1" } }),
      'write "calls": { "c": … }',
      ["c into calls"],
    ],
    [
      "a signature beside handlers",
      enriched({ handlers: {}, "E(address)": handler }),
      'move it into "handlers"',
      [],
    ],
    [
      "handlers of an instance",
      instance({ handlers: {} }),
      'write "enrich": { "handlers": … }',
      ["handlers into enrich"],
    ],
    [
      "entities of an instance's enrichment",
      enriched({ handlers: {}, entities: {} }),
      'move it into "handlers": { "<signature>": { "entities": … } }',
      [],
    ],
    ["a test of a call", call({ pre: "true" }), 'write "conditions": { "pre": … }', ["pre into conditions"]],
    ["a chain of everything", minimal({ network: "mainnet" }), 'move it into an instance, as "chain"', []],
    [
      "an enrichment of everything",
      minimal({ enrichments: {} }),
      'move it into an instance, as "enrich"',
      [],
    ],
    ["an event of an instance", instance({ event: "E" }), 'move it into a "source", as "eventSignature"', []],
  ])("is moved to its place: %s", async (_name, config, hint, fixes) => {
    const errors = (await findings(config)).filter(({ severity }) => severity === "error");
    expect(errors.map((one) => one.hint)).toEqual([hint]);
    expect(errors.flatMap(({ fix = [] }) => fix.map(edited))).toEqual(fixes);
  });

  test("joins a list of arguments to the string that it must be", async () => {
    const [found] = await findings(call({ args: ["event.params.who", "BigInt.zero()"] }));
    expect([found?.hint, found?.fix?.map(edited)]).toEqual([
      'write "params": "event.params.who, BigInt.zero()"',
      ['"args" -> params', '["event.params.who","BigInt.zero()"] -> "event.params.who, BigInt.zero()"'],
    ]);
  });

  test("does not guess the order of arguments by name", async () => {
    const [found] = await findings(call({ params: { who: "event.params.who" } }));
    expect([found?.hint, found?.fix]).toEqual(['write "event.params.who"', undefined]);
  });

  test("moves several signatures into handlers together", async () => {
    const found = await findings(enriched({ "E(address)": handler, "F()": handler, options: {} }));
    const errors = found.filter(({ severity }) => severity === "error");
    expect(errors.map(({ fix = [] }) => fix.map(edited))).toEqual([
      ["E(address), F() into handlers"],
      ["E(address), F() into handlers"],
    ]);
  });

  test("moves signatures separately when a different key stands between them", async () => {
    const found = await findings(enriched({ "E(address)": handler, options: {}, "F()": handler }));
    expect(found.flatMap(({ fix = [] }) => fix)).toEqual([]);
  });
});

describe("a key that only looks misplaced", () => {
  test.each<[string, object]>([
    ["a contract that is neither an address nor an ABI", instance({ contract: "Vault" })],
    ["a block that is not a number", instance({ fromBlock: "latest" })],
    ["a key in a handler that is neither a call nor an entity", handled({ X: { a: 1 } })],
    ["a signature with nothing under it", instance({ enrich: { handlers: {}, "E(address)": 1 } })],
    [
      "two words for one setting",
      minimal({ instances: [{ ...without(dataSource, "chain"), network: "base", networkName: "base" }] }),
    ],
    ["call handlers of a manifest", minimal({ callHandlers: [{ function: "f()", handler: "handleF" }] })],
    ["a setting that is there", instance({ network: "base" })],
  ])("is not moved or renamed: %s", async (_name, config) => {
    const found = await findings(config);
    expect(found.some(({ code }) => code === "unknown-key")).toBe(true);
    expect(found.flatMap(({ fix }) => fix ?? [])).toEqual([]);
  });
});

test("validation does not take the name of an ABI for a setting", async () => {
  expect(
    (await findings(minimal({ abis: { a: [transfer], network: [transfer] } }))).map(({ code }) => code),
  ).toEqual(["unused-abi"]);
});
