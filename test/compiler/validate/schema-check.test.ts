import { describe, expect, test } from "vitest";
import { address, check, dataSource, minimal, template, transfer } from "./harness.js";

const without = (key: string) =>
  Object.fromEntries(Object.entries(dataSource).filter(([name]) => name !== key));
const enriched = (handler: unknown) =>
  minimal({ instances: [{ ...dataSource, enrich: { handlers: { "E(address)": handler } } }] });

describe("a valid configuration", () => {
  test.each<[string, unknown]>([
    ["the smallest", minimal()],
    ["a schema", minimal({ $schema: "x" })],
    ["a name", minimal({ name: "a-b_C1" })],
    ["a name with a version", minimal({ name: "a/1.0.0-rc+1" })],
    [
      "the older form",
      minimal({
        chains: ["mainnet"],
        instances: [dataSource, template],
      }),
    ],
    ["the last possible block", minimal({ instances: [{ ...dataSource, startBlock: 2147483647 }] })],
    ["an artifact as an ABI", minimal({ abis: { a: { contractName: "A", abi: [transfer] } } })],
    [
      "an explorer's answer as an ABI",
      minimal({ abis: { a: { status: "1", result: JSON.stringify([transfer]) } } }),
    ],
    ["block 0", minimal({ instances: [{ ...dataSource, startBlock: 0 }] })],
  ])("is accepted: %s", async (_, config) => {
    const { project, found } = await check(config);
    expect(found).toEqual([]);
    expect(project).toBeDefined();
  });

  test("may write 1000 as 1e3 in every format", async () => {
    const text = JSON.stringify(minimal()).replace('"startBlock":1', '"startBlock":1e3');
    for (const path of ["c.json", "c.json5", "c.yaml"]) {
      const { project } = await check(text, path);
      expect(project?.instances[0]).toMatchObject({ startBlock: { value: 1000 } });
    }
  });
});

describe("an invalid configuration", () => {
  test.each<[unknown, string[]]>([
    [minimal({ abis: { a: [transfer], b: {} } }), ['"b" missing-key: "b" has no "path"']],
    [
      minimal({ abis: { a: { path: "a.json", abi: [transfer] } } }),
      [
        '"a.json" abi-missing: the ABI file "a.json" does not exist',
        '"abi" unknown-key: "a" has no setting named "abi"',
      ],
    ],
    ["[]", ["[] wrong-type: the configuration must be an object, not an empty list"]],
    ["1", ["1 wrong-type: the configuration must be an object, not the number 1"]],
    [
      "{}",
      [
        '{ missing-key: the configuration has no "version"',
        '{ missing-key: the configuration has no "abis"',
        '{ missing-key: the configuration has no "instances"',
      ],
    ],
    [minimal({ version: 1 }), ['1 unsupported-version: "version" must be the string "1", not the number 1']],
    [minimal({ version: "2" }), ['"2" unsupported-version: "version" must be the string "1", not "2"']],
    [minimal({ name: "1a" }), ['1 wrong-value: "name" cannot be "1a"']],
    [minimal({ name: "a/" }), ['"a/" wrong-value: "name" cannot be "a/"']],
    [minimal({ name: "a\n" }), ['\\n wrong-value: "name" cannot be "a\\n"']],
    [minimal({ name: "a/b/c" }), ['/ wrong-value: "name" cannot be "a/b/c"']],
    [minimal({ name: null }), ['null wrong-type: "name" cannot be null']],
    [
      minimal({ abis: [] }),
      [
        '[] wrong-type: "abis" must be an object of ABIs by name, not an empty list',
        '"a" unknown-abi: no ABI named "a" is declared',
      ],
    ],
    [
      minimal({ instances: [] }),
      ['[] wrong-value: "instances" must be a list of at least one instance, not an empty list'],
    ],
    [
      minimal({ instances: {} }),
      ['{} wrong-type: "instances" must be a list of at least one instance, not an empty object'],
    ],
    [minimal({ instances: [1] }), ["1 wrong-type: an instance must be an object, not the number 1"]],
    [
      minimal({ enableCallHandlers: "true" }),
      ['"true" wrong-type: "enableCallHandlers" must be true or false, not "true"'],
    ],
    [
      minimal({ chains: "mainnet" }),
      ['"mainnet" wrong-type: "chains" must be a list of chain names, not "mainnet"'],
    ],
    [minimal({ Version: "1" }), ['"Version" unknown-key: the configuration has no setting named "Version"']],
    ...[
      ["../x", "."],
      ["a/b", "/"],
      ["a.b", "."],
      ["ü", "ü"],
      ["", '""'],
      [" ", '" "'],
      ["-_", '"-_"'],
      ["a\0", "\\u0000"],
      ["x".repeat(101), `"${"x".repeat(101)}"`],
    ].map(([name = "", place]): [unknown, string[]] => [
      minimal({ abis: { a: [transfer], [name]: [] } }),
      [
        `${place} wrong-name: ${JSON.stringify(name.length > 60 ? `${name.slice(0, 57)}...` : name)} cannot be the name of an ABI`,
      ],
    ]),
    [minimal({ abis: { a: [transfer], b: 1 } }), ['1 wrong-type: "b" cannot be the number 1']],
    [minimal({ abis: { a: [transfer], b: {} } }), ['"b" missing-key: "b" has no "path"']],
    [
      minimal({ abis: { a: [transfer], b: { path: 1 } } }),
      ['1 wrong-type: "path" must be the path of a file, not the number 1'],
    ],
  ])("is refused at its place: %j", async (config, want) => {
    const { project, found } = await check(config);
    expect(found).toEqual(want);
    expect(project).toBeUndefined();
  });

  test.each<[string, unknown, string[]]>([
    ["no ABI", without("abi"), ['{ missing-key: an instance has no "abi"']],
    ["no block", without("startBlock"), ['{ missing-key: an instance has no "startBlock"']],
    ["no chain", without("chain"), ['{ missing-key: an instance has no "chain"']],
    ["no kind", { abi: "a" }, ['{ instance-kind: an instance has neither an "address" nor a "source"']],
    [
      "nothing",
      {},
      [
        '{ instance-kind: an instance has neither an "address" nor a "source"',
        '{ missing-key: an instance has no "abi"',
      ],
    ],
    [
      "no address",
      without("address"),
      ['{ instance-kind: an instance has neither an "address" nor a "source"'],
    ],
    [
      "both kinds",
      { ...dataSource, ...template },
      ['"source" instance-kind: an instance has both an "address" and a "source"'],
    ],
    [
      "both, the other way round",
      { ...template, address },
      ['"address" instance-kind: an instance has both an "address" and a "source"'],
    ],
    [
      "a slip of the address",
      { ...without("address"), adress: address },
      ['"adress" unknown-key: an instance has no setting named "adress"'],
    ],
    [
      "a slip of the source",
      { abi: "a", sorce: template.source },
      ['"sorce" unknown-key: an instance has no setting named "sorce"'],
    ],
    [
      "a slip of case",
      { ...without("startBlock"), startblock: 1 },
      ['"startblock" unknown-key: an instance has no setting named "startblock"'],
    ],
    [
      "an old name",
      { ...dataSource, enrichments: {} },
      ['"enrichments" unknown-key: an instance has no setting named "enrichments"'],
    ],
    [
      "an empty source",
      { abi: "a", source: {} },
      [
        '"source" missing-key: "source" has no "abi"',
        '"source" missing-key: "source" has no "eventSignature"',
        '"source" missing-key: "source" has no "addressParam"',
      ],
    ],
    [
      "a short address",
      { ...dataSource, address: "0x12" },
      ['"0x12" wrong-value: "address" must be "0x" and 40 hexadecimal digits, not "0x12"'],
    ],
    [
      "an address with a suffix",
      { ...dataSource, address: `${address}\n` },
      [`\\n wrong-value: "address" cannot be "${address}\\n"`],
    ],
    [
      "a negative block",
      { ...dataSource, startBlock: -1 },
      ['-1 wrong-value: "startBlock" must be a whole number from 0 to 2147483647, not the number -1'],
    ],
    [
      "half a block",
      { ...dataSource, startBlock: 1.5 },
      ['1.5 wrong-type: "startBlock" must be a whole number from 0 to 2147483647, not the number 1.5'],
    ],
    [
      "a block too far",
      { ...dataSource, startBlock: 2147483648 },
      ['2147483648 wrong-value: "startBlock" cannot be the number 2147483648'],
    ],
    [
      "a block as a string",
      { ...dataSource, startBlock: "12" },
      ['"12" wrong-type: "startBlock" must be a whole number from 0 to 2147483647, not "12"'],
    ],
    ["a chain with a path", { ...dataSource, chain: "../x" }, ['. wrong-value: "chain" cannot be "../x"']],
    ["no chain name", { ...dataSource, chain: "" }, ['"" wrong-value: "chain" cannot be an empty string']],
    [
      "a long chain name",
      { ...dataSource, chain: "x".repeat(101) },
      [`"${"x".repeat(101)}" wrong-value: "chain" cannot be "${"x".repeat(57)}..."`],
    ],
    ["no handlers", { ...dataSource, enrich: {} }, ['"enrich" missing-key: "enrich" has no "handlers"']],
    [
      "bad options",
      { ...dataSource, enrich: { handlers: {}, options: { imports: "BigInt" } } },
      ['"BigInt" wrong-type: "imports" must be a list of names that graph-ts exports, not "BigInt"'],
    ],
  ])("is refused once for each fault of an instance: %s", async (_, instance, want) => {
    const { found } = await check(minimal({ instances: [instance] }));
    expect(found.map((line) => line.replace(/^\{".*?\} /s, "{ "))).toEqual(want);
  });

  test.each<[unknown, string[]]>([
    [{}, ['"E(address)" missing-key: "E(address)" has no "entities"']],
    [
      { entities: [] },
      ['[] wrong-type: "entities" must be an object of entities by name, not an empty list'],
    ],
    [{ entities: { X: [] } }, ['[] wrong-value: "X" cannot be an empty list']],
    [{ entities: { "a b": {} } }, ['  wrong-name: "a b" cannot be the name of an entity']],
    [
      { entities: { X: { "a uint8": 1 } } },
      ['1 wrong-type: "a uint8" must be an expression in a string, not the number 1'],
    ],
    [{ entities: { X: [{ id: "1" }] } }, ['{ missing-key: an item of "X" has no "mapping"']],
    [{ entities: {}, calls: { c: {} } }, ['"c" missing-key: "c" has no "name"']],
    [{ entities: {}, calls: { "1c": { name: "f" } } }, ['1 wrong-name: "1c" cannot be the name of a call']],
    [
      { entities: {}, calls: { c: { name: "f", depends_on: "x" } } },
      ['"x" wrong-type: "depends_on" must be a list of call names, not "x"'],
    ],
    [
      { entities: {}, calls: { c: { name: "f", dependsOn: [] } } },
      ['"dependsOn" unknown-key: "c" has no setting named "dependsOn"'],
    ],
  ])("is refused for the handler %j", async (handler, want) => {
    expect((await check(enriched(handler))).found).toEqual(want);
  });
});

describe("a hint for an invalid configuration", () => {
  test.each<[unknown, string | undefined]>([
    [minimal({ version: 1 }), 'write "1", in quotes'],
    [minimal({ version: "1.0" }), 'write "1"'],
    [minimal({ name: 7 }), 'write "7", in quotes'],
    [minimal({ enableCallHandlers: "true" }), "write true, without quotes"],
    [minimal({ enableCallHandlers: "yes" }), undefined],
    [minimal({ chains: "mainnet" }), 'write ["mainnet"]'],
    [minimal({ instances: [{ ...dataSource, startBlock: "12" }] }), "write 12, without quotes"],
    [minimal({ instances: [{ ...dataSource, enrichments: {} }] }), 'rename it to "enrich"'],
    [minimal({ instances: [{ ...dataSource, Chain: "x" }] }), "remove it"],
    [minimal({ instances: [{ ...dataSource, filter: "x" }] }), "remove it"],
    [
      enriched({ entities: { X: { "a uint8": "1" } }, calls: { c: { name: "f", params: ["a", "b"] } } }),
      'write "a, b"',
    ],
    [enriched({ entities: { X: { "a uint8": "1" } }, calls: { c: { name: "f", params: [] } } }), undefined],
  ])("says what to do about %j", async (config, want) => {
    expect((await check(config)).hints).toEqual([want]);
  });

  test.each([
    ["c.json", "9007199254740993"],
    ["c.json", "1e3000"],
    ["c.json", "-0"],
    ["c.json5", "0xFFFFFFFFFFFFFFFFF"],
    ["c.yaml", "9007199254740993"],
  ])("shows a number as %s writes it: %s", async (path, number) => {
    const text = JSON.stringify(minimal({ name: "NUMBER" })).replace('"NUMBER"', number);
    const { found } = await check(text, path);
    expect(found[0]).toMatch(/ wrong-type: "name" (cannot be|must be .*, not) the number /);
    expect(found[0]?.endsWith(` ${number}`)).toBe(true);
  });

  test("lists the known settings for an unknown key", async () => {
    const { notes } = await check(minimal({ qqqqqqqq: 1 }));
    expect(notes).toEqual([
      ['its settings are "version", "name", "abis", "instances", "enableCallHandlers", "mapping", "chains"'],
    ]);
  });

  test("explains an address that YAML reads as a number", async () => {
    const text = `version: "1"\nabis: { a: [] }\ninstances:\n- abi: a\n  address: ${address}\n  startBlock: 1\n  chain: mainnet\n`;
    const { found, hints } = await check(text, "c.yaml");
    expect(found[0]).toMatch(/^5:12-5:54 wrong-type: /);
    expect(hints).toEqual([`write "${address}", in quotes`]);
  });
});

describe("the order and places of errors", () => {
  test("follow the file, all in one run", async () => {
    const { found } = await check(`{
  "version": 1,
  "abis": { "a": [ 5 ] },
  "instances": [
    { "abi": "b", "address": "0x", "startBlock": 1, "chain": "x y" },
    { "abi": "b", "address": "${address}", "startBlock": 1, "chain": "mainnet" },
    { "abi": "a", "address": "${address}", "startBlock": 1, "chain": "mainnet",
      "enrich": { "handlers": { "E": { "entities": { "X": { "a": "1" } } } } } }
  ],
  "nam": ""
}`);
    expect(found.map((line) => line.split(":", 4).slice(0, 3).join(":"))).toEqual([
      "2:14-2:15 unsupported-version",
      "3:18-3:23 not-an-abi",
      "5:14-5:17 unknown-abi",
      "5:30-5:34 wrong-value",
      "5:64-5:65 wrong-value",
      "6:14-6:17 unknown-abi",
      "8:61-8:64 field-key",
      "10:3-10:8 unknown-key",
    ]);
  });

  test("put a missing key of a YAML item at its first key", async () => {
    const { found } = await check('version: "1"\nabis: { a: [] }\ninstances:\n- abi: a\n', "c.yaml");
    expect(found).toEqual(['4:3-4:6 instance-kind: an instance has neither an "address" nor a "source"']);
  });
});

describe("a hostile configuration", () => {
  const names = ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"];

  test.each(names)("is refused with the key %s everywhere", async (name) => {
    const text = JSON.stringify(
      minimal({
        KEY: 1,
        instances: [
          { ...dataSource, KEY: 1 },
          { ...template, source: { ...template.source, KEY: 1 } },
        ],
      }),
    );
    const { found } = await check(text.replaceAll('"KEY"', `"${name}"`));
    expect(found).toEqual([
      `"${name}" unknown-key: an instance has no setting named "${name}"`,
      `"${name}" unknown-key: "source" has no setting named "${name}"`,
      `"${name}" unknown-key: the configuration has no setting named "${name}"`,
    ]);
  });

  test.each(names)("is refused when %s stands for a required key or an ABI", async (name) => {
    const { found } = await check(minimal({ instances: [{ ...dataSource, abi: name }] }));
    expect(found.filter((line) => !line.includes("warning"))).toEqual([
      `"${name}" unknown-abi: no ABI named "${name}" is declared`,
    ]);
  });

  test("may name an ABI, a call, an entity and a field __proto__", async () => {
    const handler =
      '{"calls": {"__proto__": {"name": "f"}}, "entities": {"__proto__": {"__proto__ address": "x"}}}';
    const text = `{"version": "1", "abis": {"__proto__": [${JSON.stringify(transfer)}]}, "instances": [
      {"abi": "__proto__", "address": "${address}", "startBlock": 1, "chain": "mainnet", "enrich": {"handlers": {"__proto__": ${handler}}}}]}`;
    const { project, found } = await check(text);
    expect(found).toEqual([]);
    const made = project?.instances[0]?.enrich?.handlers[0];
    expect(project?.abis.map(({ name }) => name.value)).toEqual(["__proto__"]);
    expect(made?.calls.map(({ ref }) => ref.value)).toEqual(["__proto__"]);
    expect(made?.entities.map(({ name }) => name.value)).toEqual(["__proto__"]);
    expect(made?.entities[0]?.items[0]?.fields.map(({ name }) => name.value)).toEqual(["__proto__"]);
  });

  test("is refused with a megabyte as a key and as a value", async () => {
    const long = "x".repeat(1_000_000);
    const { found } = await check(minimal({ [long]: 1, name: `${long} ` }));
    expect(found.map((line) => line.replace(long, "").length)).toEqual([
      expect.toSatisfy((length: number) => length < 300),
      expect.toSatisfy((length: number) => length < 300),
    ]);
  });

  test("is refused with lone surrogates and NUL", async () => {
    const { found } = await check(minimal({ "\ud800": 1, "\0": 2 }));
    expect(found).toHaveLength(2);
  });
});
