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

describe("a certain correction", () => {
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
    ["a file", minimal({ abis: { a: [transfer], b: { file: "b.json" } } }), ['"file" -> path']],
    ["one slip", minimal({ instances: [{ ...unplaced, adress: address }] }), ['"adress" -> address']],
    ["a version without quotes", minimal({ version: 1 }), ['1 -> "1"']],
    ["a block in quotes", instance({ startBlock: "12" }), ['"12" -> 12']],
    ["a block in hexadecimal digits", instance({ startBlock: "0xbcbe5d" }), ['"0xbcbe5d" -> 12369501']],
    ["a block with commas", instance({ startBlock: "12,369,621" }), ['"12,369,621" -> 12369621']],
    ["true in quotes", minimal({ enableCallHandlers: "true" }), ['"true" -> true']],
    ["false in quotes", handled({ calls: { c: { name: "f", required: "false" } } }), ['"false" -> false']],
    [
      "an alias of a chain, in every place",
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
  ])("is a fix: %s", async (_name, config, want) => {
    expect(await fixes(config)).toEqual(want);
  });
});

describe("an uncertain correction", () => {
  test.each<[string, object]>([
    ["a name like several", minimal({ instances: [{ ...dataSource, enricher: {} }] })],
    ["a key that is already set", instance({ Chain: "base" })],
    ["two slips of one setting", minimal({ instances: [{ ...unstarted, startblock: 1, start_block: 2 }] })],
    ["a different version", minimal({ version: "1.0" })],
    ["the number of a different version", minimal({ version: 2 })],
    ["a block too far, in quotes", instance({ startBlock: "99999999999" })],
    ["a word for true", minimal({ enableCallHandlers: "yes" })],
    ["a number for a string", minimal({ name: 7 })],
    ["a chain that is only like one", instance({ chain: "optimsm" })],
    ["a checksum", instance({ address: "0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" })],
    ["the only setting there is", minimal({ abis: { a: [transfer], b: { file: "x" } } })],
  ])("is not a fix: %s", async (_name, config) => {
    const found = await findings(config);
    expect(found.length).toBeGreaterThan(0);
    expect(found.flatMap(({ fix }) => fix ?? [])).toEqual([]);
  });
});

describe("a hint about a wrong key or value", () => {
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
    ["a setting of a part", instance({ handlers: {} }), ['write "enrich": { "handlers": … }']],
    [
      "a setting of a part that exists",
      instance({ handlers: {}, enrich: { handlers: {} } }),
      ['move it into "enrich"'],
    ],
    [
      "a setting of the parent",
      minimal({ instances: [dataSource, { ...template, source: { ...template.source, startBlock: 1 } }] }),
      ["move it into an instance"],
    ],
    [
      "a setting of options",
      instance({ enrich: { handlers: {}, debugging: true } }),
      ['write "options": { "debugging": … }'],
    ],
    ["a setting of a deep part", minimal({ calls: {} }), ["move it into a handler"]],
    ["a setting of several parts", minimal({ source: {} }), ["remove it"]],
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
  ])("says what to do: %s", async (_name, config, want) => {
    const found = await findings(config);
    expect(found.filter(({ severity }) => severity === "error").map(({ hint }) => hint)).toEqual(want);
  });
});

const field = (key: string, value: unknown): object => handled({ entities: { A: { [key]: value } } });
const item = (fields: object): object => handled({ entities: { A: [fields] } });

describe("a field that is nearly right", () => {
  test.each<[string, object, string, string[]]>([
    [
      "a small number for a large one",
      field("a uint256", 5),
      'write "BigInt.fromI32(5)", in quotes',
      ['5 -> "BigInt.fromI32(5)"'],
    ],
    [
      "a large number",
      field("a uint256", 5000000000),
      'write "BigInt.fromString(\\"5000000000\\")", in quotes',
      ['5000000000 -> "BigInt.fromString(\\"5000000000\\")"'],
    ],
    ["a small number", field("a int8", -5), 'write "-5", in quotes', ['-5 -> "-5"']],
    [
      "a fraction",
      field("a fixed", 0.5),
      'write "BigDecimal.fromString(\\"0.5\\")", in quotes',
      ['0.5 -> "BigDecimal.fromString(\\"0.5\\")"'],
    ],
    ["a number as a string", field("a string", 5), 'write "\\"5\\"", in quotes', ['5 -> "\\"5\\""']],
    ["a boolean", field("a bool", true), 'write "true", in quotes', ['true -> "true"']],
    ["a fraction of a whole number", field("a uint256", 0.5), 'write "0.5", in quotes', []],
    ["a number for an address", field("a address", 5), 'write "5", in quotes', []],
    ["a number for a list", field("a uint256[]", 5), 'write "5", in quotes', []],
    [
      "no type, of an address",
      field("a", "event.params.who"),
      'write "a address", and event.params.who.toHexString() as its value',
      ['"a" ->  address', '"event.params.who" -> .toHexString()'],
    ],
    [
      "no type, of an address as a string",
      field("a ", "event.params.who.toHexString()"),
      'write "a address"',
      ['"a " ->  address'],
    ],
    ["no type, of the block", field("a", "event.block.number"), 'write "a uint256"', ['"a" ->  uint256']],
    [
      "no type, of a hash as a string",
      field("a", "event.transaction.hash.toHexString()"),
      'write "a string"',
      ['"a" ->  string'],
    ],
    [
      "no type, of an unknown value",
      field("a", "event.params.whom"),
      'write the field\'s name, a space and its type, such as "owner address"',
      [],
    ],
    ["a hyphen in a name", field("a-b uint256", "x"), 'write "a_b"', []],
    ["a colon behind a name", field("a: uint256", "x"), 'write "a"', []],
    [
      "a digit before a name",
      field("1a uint256", "x"),
      "choose a name that begins with a letter and has no other characters",
      [],
    ],
    [
      "no mapping around the fields of an item",
      item({ id: '"x"', "a uint256": "x", "b string": "y" }),
      'write "mapping": { "a uint256": … }',
      ["a uint256, b string into mapping"],
    ],
  ])("is corrected: %s", async (_name, config, hint, edits) => {
    const [first] = (await findings(config)).filter(({ severity }) => severity === "error");
    expect([first?.hint, first?.fix?.map(edited) ?? []]).toEqual([hint, edits]);
  });
});

describe("a value of the wrong shape", () => {
  const abis = (value: unknown): object => minimal({ abis: value });
  const calls = (value: unknown): object => handled({ calls: value });
  const enriched = (handlers: unknown): object => instance({ enrich: { handlers } });
  const second = `0x${"2".repeat(40)}`;
  test.each<[string, object, string]>([
    ["a list of ABIs", abis([{ name: "a", path: "./a.json" }]), 'write { "a": { "path": "./a.json" } }'],
    ["a list of ABIs of contracts", abis([{ name: "a", abi: [] }, {}]), 'write { "a": { "abi": … }, … }'],
    ["a list of files", abis(["./abis/a.json", "b"]), 'write { "a": { "path": "./abis/a.json" }, … }'],
    [
      "a list of calls",
      calls([{ name: "f", required: true }]),
      'write { "f": { "name": "f", "required": true } }',
    ],
    ["a list of calls by key", calls([{ ref: "x", name: "f" }]), 'write { "x": { "name": "f" } }'],
    ["a list of functions", calls(["f"]), 'write { "f": { "name": "f" } }'],
    ["a call that is its function", calls({ x: "f" }), 'write { "name": "f" }'],
    ["a condition alone", calls({ x: { name: "f", conditions: "true" } }), 'write { "pre": "true" }'],
    [
      "arguments by name",
      calls({ x: { name: "f", params: { a: "event.params.who", b: "x" } } }),
      'write "event.params.who, x"',
    ],
    [
      "the ABI of a source alone",
      minimal({ instances: [dataSource, { ...template, source: "a" }] }),
      'write { "abi": "a", "eventSignature": …, "addressParam": … }',
    ],
    [
      "several chains",
      instance({ chain: ["base", "mainnet"] }),
      'write an instance for each: { "abi": "a", "chain": "base", … }, …',
    ],
    ["a list of handlers", enriched([{ event: "E", entities: {} }]), 'write { "E": { "entities": … } }'],
    ["a list of events", enriched(["E"]), 'write { "E": { "entities": { … } } }'],
    [
      "a list of entities",
      handled({ entities: [{ name: "A", mapping: { "a uint256": "x" } }] }),
      'write { "A": { "a uint256": "x" } }',
    ],
    [
      "a list of entities with ids",
      handled({ entities: [{ name: "A", id: "x", mapping: {} }] }),
      'write { "A": [{ "id": "x", "mapping": … }] }',
    ],
    [
      "one instance",
      minimal({ instances: { abi: "a", startBlock: 1, chain: "base" } }),
      'write [{ "abi": "a", "startBlock": 1, "chain": "base" }]',
    ],
    [
      "instances by name",
      minimal({ instances: { a: { startBlock: 1, enrich: {} } } }),
      'write [{ "abi": "a", "startBlock": 1, "enrich": … }]',
    ],
    ["one address in a list", instance({ address: [address] }), `write "${address}"`],
    [
      "several addresses",
      instance({ address: [address, second] }),
      `write an instance for each: { "abi": "a", "address": "${address}", … }, …`,
    ],
  ])("is shown in the right shape: %s", async (_name, config, hint) => {
    const errors = (await findings(config)).filter(({ severity }) => severity === "error");
    expect(errors.map(({ code, hint: said }) => [code, said])).toEqual([["wrong-type", hint]]);
  });

  test.each<[string, object]>([
    ["items without a name", calls([{ required: true }])],
    ["an empty list", calls([])],
    [
      "a shape longer than a line",
      abis([
        {
          name: "a",
          path: "p",
          ...Object.fromEntries(
            "bcdefghijklmnopqrstuvwxyz".split("").map((key) => [`${key}${key}${key}${key}`, 1]),
          ),
        },
      ]),
    ],
  ])("gets no hint for %s", async (_name, config) => {
    const [first] = (await findings(config)).filter(({ code }) => code === "wrong-type");
    expect([first?.code, first?.hint]).toEqual(["wrong-type", undefined]);
  });
});

describe("a missing key", () => {
  const functions = ["slot0", "liquidity"].map((name) => ({
    type: "function",
    name,
    stateMutability: "view",
    inputs: [],
    outputs: [{ name: "", type: "uint256" }],
  }));
  const called = (calls: object, more: object = {}): object => {
    const enrich = { handlers: { "E(address)": { calls, entities: {} } } };
    return minimal({
      abis: { a: [transfer, ...functions], ...more },
      instances: [{ ...dataSource, enrich }],
    });
  };
  const { chain: _chain, ...unchained } = dataSource;
  const { abi: _abi, ...unnamed } = dataSource;
  test.each<[string, object, string]>([
    ["a call named as its function", called({ slot0: {} }), 'add "name": "slot0"'],
    ["a call named nearly so", called({ liqudity: {} }), 'add "name": "liquidity"'],
    ["a call with a different name", called({ price: {} }), 'add "name", such as "name": "slot0"'],
    ["a call of a different ABI", called({ slot0: { abi: "b" } }, { b: [] }), 'add "name"'],
    ["a chain", minimal({ instances: [unchained] }), 'add "chain", such as "chain": "mainnet"'],
    [
      "a chain that the others have",
      minimal({
        instances: [
          { ...dataSource, chain: "base" },
          { ...unchained, address: `0x${"2".repeat(40)}` },
        ],
      }),
      'add "chain": "base"',
    ],
    ["the only ABI", minimal({ instances: [unnamed] }), 'add "abi": "a"'],
    [
      "entities",
      instance({ enrich: { handlers: { "E(address)": {} } } }),
      'add "entities": {} and put the entities in it',
    ],
    [
      "one of several ABIs",
      minimal({ abis: { a: [transfer], b: [] }, instances: [unnamed] }),
      'add "abi", such as "abi": "a"',
    ],
  ])("is proposed with its value: %s", async (_name, config, hint) => {
    const hints = (await findings(config))
      .filter(({ code }) => code === "missing-key")
      .map((one) => one.hint);
    expect(hints).toEqual([hint]);
  });
});

describe("a name with characters that are not allowed", () => {
  test.each<[string, string | undefined]>([
    ["My Pools", 'write "My-Pools"'],
    ["My Pools/1.0.0", 'write "My-Pools/1.0.0"'],
    ["@acme/pools", 'write "acme/pools"'],
    ["1inch", 'write "inch"'],
    ["数", undefined],
  ])("is proposed without them: %s", async (name, hint) => {
    expect((await findings(minimal({ name }))).map((one) => one.hint)).toEqual([hint]);
  });
});

describe("a value that only the user knows", () => {
  const created = "write the number of the block that created the contract";
  test.each<[string, object, string | undefined]>([
    [
      "a name of ENS",
      instance({ address: "vitalik.eth" }),
      "write the address: graphloom does not resolve names",
    ],
    ["no name and no address", instance({ address: "0xg" }), undefined],
    ["the newest block", instance({ startBlock: "latest" }), created],
    ["the first block", instance({ startBlock: "earliest" }), "write 0, without quotes"],
  ])("gets advice: %s", async (_name, config, hint) => {
    expect((await findings(config)).map((one) => [one.hint, one.fix])).toEqual([[hint, undefined]]);
  });
});

describe("the label of a wrong value", () => {
  test.each<[string, object, string, string]>([
    ["a key of different case", instance({ CHAIN: 1 }), '"CHAIN"', '"chain" is already set'],
    ["a digit at the start", minimal({ name: "1a" }), "1", "cannot come first"],
    ["a character that is never allowed", minimal({ name: ".a" }), ".", "not allowed here"],
    ["a character in the middle", instance({ chain: "a b" }), " ", "not allowed here"],
    ["a name that is cut off", minimal({ name: "a/" }), '"a/"', "incomplete at its end"],
    ["digits", instance({ address: "0x12" }), '"0x12"', "it has 2 digits"],
    ["no digit", instance({ address: `0xg${address.slice(3)}` }), "g", "not a hexadecimal digit"],
    ["a long name", instance({ chain: "a".repeat(101) }), `"${"a".repeat(101)}"`, "too long"],
    ["too small", instance({ startBlock: -1 }), "-1", "too small"],
    ["too large", instance({ startBlock: 2147483648 }), "2147483648", "too large"],
    ["half", instance({ startBlock: 1.5 }), "1.5", "not a whole number"],
    ["a string in quotes", instance({ startBlock: "1" }), '"1"', "a string, because of its quotes"],
    ["a number without", instance({ chain: 1 }), "1", "a number, because it has no quotes"],
    ["a list", instance({ chain: ["a", "b"] }), "[", "a list"],
    ["an object", instance({ abi: { a: 1 } }), "{", "an object"],
    ["null", instance({ chain: null }), "null", "null is not a value here"],
    ["empty", minimal({ instances: [] }), "[]", "empty"],
  ])("says why it is wrong: %s", async (_name, config, place, label) => {
    const found = (await findings(config)).find(({ severity }) => severity === "error");
    expect([found?.at && textAt(found.at), found?.label]).toEqual([place, label]);
  });

  test("reports a string that breaks two rules once", async () => {
    const long = ".".repeat(101);
    const config = minimal({
      abis: { a: [transfer], [long]: [] },
      instances: [{ ...dataSource, chain: long }],
    });
    expect((await findings(config)).map(({ code }) => code)).toEqual(["wrong-name", "wrong-value"]);
  });

  test("shows the instances on a chain that is not listed", async () => {
    const [found] = await findings(minimal({ chains: [] }));
    expect(found?.related.map(({ at, text }) => [textAt(at), text])).toEqual([
      ['"mainnet"', "an instance is on this chain"],
    ]);
  });
});
