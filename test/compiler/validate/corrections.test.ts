import { describe, expect, test } from "vitest";
import { textAt } from "../parse/harness.js";
import { address, dataSource, edited, findings, minimal, template, transfer } from "./harness.js";

async function fixes(config: unknown): Promise<string[]> {
  return (await findings(config)).flatMap(({ fix = [] }) => fix.map(edited));
}

const instance = (changes: object): object => minimal({ instances: [{ ...dataSource, ...changes }] });
const handled = (handler: object): object =>
  instance({ enrich: { handlers: { "E(address)": { entities: {}, ...handler } } } });
const { startBlock: _, ...unstarted } = dataSource;
const { address: __, ...unplaced } = dataSource;

describe("what is certain is fixed", () => {
  test.each<[string, object, string[]]>([
    ["case", minimal({ instances: [{ ...unstarted, startblock: 1 }] }), ['"startblock" -> startBlock']],
    [
      "an underscore",
      minimal({ instances: [{ ...unstarted, start_block: 1 }] }),
      ['"start_block" -> startBlock'],
    ],
    [
      "several underscores",
      minimal({ enable_call_handlers: true }),
      ['"enable_call_handlers" -> enableCallHandlers'],
    ],
    ["a hyphen", handled({ calls: { c: { name: "f", "depends-on": [] } } }), ['"depends-on" -> depends_on']],
    [
      "a missing underscore",
      handled({ calls: { c: { name: "f", dependsOn: [] } } }),
      ['"dependsOn" -> depends_on'],
    ],
    ["one slip", minimal({ instances: [{ ...unplaced, adress: address }] }), ['"adress" -> address']],
    ["a version without quotes", minimal({ version: 1 }), ['1 -> "1"']],
    ["a block in quotes", instance({ startBlock: "12" }), ['"12" -> 12']],
    ["true in quotes", minimal({ enableCallHandlers: "true" }), ['"true" -> true']],
    ["false in quotes", handled({ calls: { c: { name: "f", required: "false" } } }), ['"false" -> false']],
    [
      "another name of a chain, wherever it stands",
      minimal({
        instances: [
          { ...dataSource, chain: "Ethereum" },
          { ...template, chain: "Ethereum" },
        ],
        chains: ["Ethereum", "base"],
      }),
      ['"Ethereum" -> mainnet', '"Ethereum" -> mainnet', '"Ethereum" -> mainnet'],
    ],
    ["the case of a chain", instance({ chain: "Mainnet" }), ['"Mainnet" -> mainnet']],
  ])("%s", async (_name, config, want) => {
    expect(await fixes(config)).toEqual(want);
  });
});

describe("what is not certain is not", () => {
  test.each<[string, object]>([
    ["a name like several", minimal({ instances: [{ ...dataSource, enricher: {} }] })],
    ["a key that is there already", instance({ Chain: "base" })],
    ["two slips of one setting", minimal({ instances: [{ ...unstarted, startblock: 1, start_block: 2 }] })],
    ["another version", minimal({ version: "1.0" })],
    ["the number of another version", minimal({ version: 2 })],
    ["a block too far, in quotes", instance({ startBlock: "99999999999" })],
    ["a word for true", minimal({ enableCallHandlers: "yes" })],
    ["a number for a text", minimal({ name: 7 })],
    ["a chain that is only like one", instance({ chain: "optimsm" })],
    ["a checksum", instance({ address: "0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" })],
    ["the only setting there is", minimal({ abis: { a: [transfer], b: { file: "x" } } })],
  ])("%s", async (_name, config) => {
    const found = await findings(config);
    expect(found.length).toBeGreaterThan(0);
    expect(found.flatMap(({ fix }) => fix ?? [])).toEqual([]);
  });
});

describe("what to do", () => {
  test.each<[string, object, (string | undefined)[]]>([
    [
      "two slips of one setting",
      minimal({ instances: [{ ...unstarted, startblock: 1, start_block: 2 }] }),
      ['rename it to "startBlock"', "remove it"],
    ],
    [
      "the only setting there is",
      minimal({ abis: { a: [transfer], b: { file: "" } } }),
      ['rename it to "path"'],
    ],
    ["a setting of something inside", instance({ handlers: {} }), ['write "enrich": { "handlers": … }']],
    [
      "a setting of something inside that is there",
      instance({ handlers: {}, enrich: { handlers: {} } }),
      ['move it into "enrich"'],
    ],
    [
      "a setting of something around",
      minimal({ instances: [dataSource, { ...template, source: { ...template.source, startBlock: 1 } }] }),
      ["move it into an instance"],
    ],
    [
      "a setting of options",
      instance({ enrich: { handlers: {}, debugging: true } }),
      ['write "options": { "debugging": … }'],
    ],
    ["a setting of something deep inside", minimal({ calls: {} }), ["move it into a handler"]],
    ["a setting of several things", minimal({ source: {} }), ["remove it"]],
    ["an ABI's name", minimal({ abis: { a: [transfer], "b.c": [] } }), ['rename it to "b_c"']],
    [
      "an ABI's name that is taken",
      minimal({ abis: { a: [transfer], a_: [], "a_.": [] } }),
      ['rename it to "_a_"'],
    ],
    ["a call's name", handled({ calls: { "my-call": { name: "f" } } }), ['rename it to "my_call"']],
    ["a call's first digit", handled({ calls: { "1c": { name: "f" } } }), ['rename it to "_1c"']],
    ["an entity's name", handled({ entities: { "my balance": {} } }), ['rename it to "MyBalance"']],
    ["nothing that can be kept of a name", handled({ calls: { "-": { name: "f" } } }), [undefined]],
    ["too few digits", instance({ address: "0x12" }), ["copy the whole address"]],
    ["no 0x", instance({ address: address.slice(2) }), [`write "${address}"`]],
    ["0X", instance({ address: `0X${address.slice(2)}` }), [`write "${address}"`]],
    ["no version", minimal({ version: undefined }), ['add "version": "1"']],
  ])("%s", async (_name, config, want) => {
    const found = await findings(config);
    expect(found.filter(({ severity }) => severity === "error").map(({ hint }) => hint)).toEqual(want);
  });
});

describe("why here", () => {
  test.each<[string, object, string, string]>([
    ["a key of another case", instance({ CHAIN: 1 }), '"CHAIN"', '"chain" is there already'],
    ["a digit at the start", minimal({ name: "1a" }), "1", "cannot come first"],
    ["a character that is never allowed", minimal({ name: ".a" }), ".", "not allowed here"],
    ["a character in the middle", instance({ chain: "a b" }), " ", "not allowed here"],
    ["a name that goes on", minimal({ name: "a/" }), '"a/"', "something is missing at its end"],
    ["digits", instance({ address: "0x12" }), '"0x12"', "it has 2 digits"],
    ["no digit", instance({ address: `0xg${address.slice(3)}` }), "g", "not a hexadecimal digit"],
    ["a long name", instance({ chain: "a".repeat(101) }), `"${"a".repeat(101)}"`, "too long"],
    ["too small", instance({ startBlock: -1 }), "-1", "too small"],
    ["too large", instance({ startBlock: 2147483648 }), "2147483648", "too large"],
    ["half", instance({ startBlock: 1.5 }), "1.5", "a number, and not a whole one"],
    ["text in quotes", instance({ startBlock: "1" }), '"1"', "text, because of its quotes"],
    ["a number without", instance({ chain: 1 }), "1", "a number, as it has no quotes"],
    ["a list", instance({ chain: ["a", "b"] }), "[", "a list"],
    ["an object", instance({ abi: { a: 1 } }), "{", "an object"],
    ["null", instance({ chain: null }), "null", "null is no value here"],
    ["empty", minimal({ instances: [] }), "[]", "empty"],
  ])("%s", async (_name, config, place, label) => {
    const found = (await findings(config)).find(({ severity }) => severity === "error");
    expect([found?.at && textAt(found.at), found?.label]).toEqual([place, label]);
  });

  test("a text that breaks two rules is found once", async () => {
    const long = ".".repeat(101);
    const config = minimal({
      abis: { a: [transfer], [long]: [] },
      instances: [{ ...dataSource, chain: long }],
    });
    expect((await findings(config)).map(({ code }) => code)).toEqual(["wrong-name", "wrong-value"]);
  });

  test("a chain that is not listed shows who is on it", async () => {
    const [found] = await findings(minimal({ chains: [] }));
    expect(found?.related.map(({ at, text }) => [textAt(at), text])).toEqual([
      ['"mainnet"', "an instance is on it"],
    ]);
  });
});
