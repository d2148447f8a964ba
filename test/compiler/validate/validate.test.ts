import { describe, expect, test } from "vitest";
import { Report } from "../../../src/compiler/diagnostics/report.js";
import { load } from "../../../src/compiler/load/load.js";
import { validate } from "../../../src/compiler/validate/validate.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { textAt } from "../parse/harness.js";
import { address, check, dataSource, minimal, template, transfer } from "./harness.js";

const fields = (mapping: Record<string, string>) =>
  minimal({
    instances: [{ ...dataSource, enrich: { handlers: { "E(address)": { entities: { X: mapping } } } } }],
  });

describe("a validated project", () => {
  test("has every part of the configuration", async () => {
    const { project, found } = await check({
      version: "1",
      name: "pools/1.0",
      enableCallHandlers: true,
      abis: { a: [transfer], b: JSON.stringify([transfer]) },
      instances: [
        {
          ...dataSource,
          enrich: {
            options: { debugging: true, imports: ["BigDecimal"] },
            handlers: {
              "E(address)": {
                calls: {
                  one: { abi: "b", source: "s", name: "f", params: "p", required: true, declared: true },
                  two: {
                    name: "g",
                    depends_on: ["one"],
                    declared: false,
                    conditions: { pre: "x", post: "y" },
                  },
                },
                entities: {
                  X: { " a  (uint8, bool)[] ": "v" },
                  Y: [
                    { id: "i", mapping: {} },
                    { id: "j", explicit_id: true, mapping: { "b bool": "w" } },
                  ],
                },
              },
            },
          },
        },
        template,
      ],
    });
    expect(found).toEqual([]);
    const isLocated = (value: unknown): value is { value: unknown } =>
      typeof value === "object" && value !== null && "at" in value && "value" in value;
    const plain = JSON.parse(
      JSON.stringify(project, (key, value) => {
        if (key === "at" || key === "abis") return undefined;
        return isLocated(value) && key !== "fields" && !("name" in value) ? value.value : value;
      }),
    );
    expect(plain).toEqual({
      name: "pools",
      version: "1.0",
      complete: true,
      enableCallHandlers: true,
      instances: [
        {
          kind: "data-source",
          ...dataSource,
          enrich: {
            debugging: true,
            imports: ["BigDecimal"],
            handlers: [
              {
                signature: "E(address)",
                brokenCalls: [],
                calls: [
                  {
                    ref: "one",
                    abi: "b",
                    source: "s",
                    name: "f",
                    params: "p",
                    dependsOn: [],
                    required: true,
                    declared: true,
                  },
                  { ref: "two", name: "g", dependsOn: ["one"], required: false, pre: "x", post: "y" },
                ],
                entities: [
                  {
                    name: "X",
                    form: "simple",
                    items: [
                      {
                        explicitId: false,
                        fields: [
                          { key: " a  (uint8, bool)[] ", name: "a", type: "(uint8, bool)[]", value: "v" },
                        ],
                      },
                    ],
                  },
                  {
                    name: "Y",
                    form: "array",
                    items: [
                      { id: "i", explicitId: false, fields: [] },
                      {
                        id: "j",
                        explicitId: true,
                        fields: [{ key: "b bool", name: "b", type: "bool", value: "w" }],
                      },
                    ],
                  },
                ],
              },
            ],
          },
        },
        { kind: "template", ...template },
      ],
    });
    expect(project?.abis.map(({ name, abi }) => [name.value, abi.events.length])).toEqual([
      ["a", 1],
      ["b", 1],
    ]);
    expect(project?.name && textAt(project.name.at)).toBe("pools");
  });

  test("omits settings that are not written", async () => {
    const { project } = await check(minimal());
    expect(Object.keys(project ?? {})).toEqual(["at", "abis", "instances", "complete", "enableCallHandlers"]);
    expect(Object.keys(project?.instances[0] ?? {})).toEqual([
      "kind",
      "at",
      "abi",
      "address",
      "startBlock",
      "chain",
    ]);
  });

  test("is missing after an error of an earlier phase, which hides no other error", async () => {
    const { project, found } = await check(minimal({ abis: { a: { path: "none" } }, version: "2" }));
    expect(project).toBeUndefined();
    expect(found.map((line) => line.split(":")[0])).toEqual([
      '"2" unsupported-version',
      '"none" abi-missing',
    ]);
  });

  test("has the parts of a field's key", async () => {
    const { project } = await check(fields({ "  a\t  uint8 ": "v" }));
    const field = project?.instances[0]?.enrich?.handlers[0]?.entities[0]?.items[0]?.fields[0];
    expect(
      field && [field.name.value, textAt(field.name.at), field.type.value, textAt(field.type.at)],
    ).toEqual(["a", "a", "uint8", "uint8"]);
  });
});

describe("the key of a field", () => {
  test.each<[string, string[]]>([
    ["a uint8", []],
    ["a\tuint8[]", []],
    ["_a (uint8, (bool , int))[2]", []],
    ["a", ['"a" field-key: the field "a" has no type']],
    [" a ", ['" a " field-key: the field "a" has no type']],
    ["", ['"" field-key: a field has an empty key']],
    ["1a uint8", ['1a field-key: "1a" is not a valid field name']],
    ["a-b uint8", ['a-b field-key: "a-b" is not a valid field name']],
    ["a uint8 b", ['uint8 b field-key: "uint8 b" is more than one type']],
    ["a (x) (y)", ['(x) (y) field-key: "(x) (y)" is more than one type']],
  ])("is read or refused: %j", async (key, want) => {
    expect((await check(fields({ [key]: "v" }))).found).toEqual(want);
  });

  test("may hold a megabyte of blanks", async () => {
    const { found } = await check(
      fields({ [`a${" ".repeat(1_000_000)}uint8`]: "v", [" ".repeat(1_000_000)]: "v" }),
    );
    expect(found).toHaveLength(1);
  });
});

describe("a rule of validation", () => {
  const other = "0x1111111111111111111111111111111111111111";
  const onChain = (chain: string, at: string) => ({ ...dataSource, chain, address: at });
  const two = (first: object, second: object, more: object = {}) =>
    minimal({
      abis: { a: [transfer], b: [transfer] },
      instances: [{ ...dataSource, abi: "b", address: other }, first, second],
      ...more,
    });

  test.each<[string, unknown, string[]]>([
    [
      "an address twice",
      two(dataSource, { ...dataSource, startBlock: 9 }),
      [`"${address}" duplicate-address: this address already has an instance of ABI "a" on this chain`],
    ],
    [
      "an address twice, in a different case",
      two(dataSource, { ...dataSource, address: `0x${address.slice(2).toUpperCase()}` }),
      [
        `"0x${address.slice(2).toUpperCase()}" duplicate-address: this address already has an instance of ABI "a" on this chain`,
      ],
    ],
    ["on a different chain", two(dataSource, { ...dataSource, chain: "base" }), []],
    ["with a different ABI", two(dataSource, { ...dataSource, abi: "b" }), []],
    [
      "a template twice",
      two(template, { ...template, source: { ...template.source, eventSignature: "E(address) " } }),
      ['"E(address) " duplicate-template: this event already creates a template of ABI "a"'],
    ],
    [
      "a template of a different parameter",
      two(template, { ...template, source: { ...template.source, addressParam: "x" } }),
      [],
    ],
    ["a template with a different ABI", two(template, { ...template, abi: "b" }), []],
    [
      "an unknown ABI",
      two(dataSource, { ...template, abi: "A", source: { ...template.source, abi: "zzzzzz" } }),
      [
        '"A" unknown-abi: no ABI named "A" is declared',
        '"zzzzzz" unknown-abi: no ABI named "zzzzzz" is declared',
      ],
    ],
    [
      "an unused ABI",
      minimal({ abis: { a: [transfer], __proto__x: [] } }),
      ['"__proto__x" warning unused-abi: the ABI "__proto__x" is declared but not used'],
    ],
    [
      "a right checksum",
      minimal({ instances: [{ ...dataSource, address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" }] }),
      [],
    ],
    [
      "a wrong checksum",
      minimal({ instances: [{ ...dataSource, address: "0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" }] }),
      [
        '"0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" warning address-checksum: the checksum of this address is wrong',
      ],
    ],
    [
      "Rootstock's own checksum, on its chain",
      minimal({ instances: [onChain("rootstock", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD")] }),
      [],
    ],
    [
      "that of Rootstock's testnet",
      minimal({ instances: [onChain("rootstock-testnet", "0xd1220a0CF47c7B9Be7A2E6Ba89f429762E7b9adB")] }),
      [],
    ],
    [
      "the common checksum on Rootstock",
      minimal({ instances: [onChain("rootstock", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed")] }),
      [],
    ],
    [
      "Rootstock's checksum on other chains, its testnet included",
      two(
        onChain("mainnet", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"),
        onChain("rootstock-testnet", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"),
      ),
      [
        '"0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD" warning address-checksum: the checksum of this address is wrong',
        '"0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD" warning address-checksum: the checksum of this address is wrong',
      ],
    ],
    [
      "upper case",
      minimal({ instances: [{ ...dataSource, address: `0x${address.slice(2).toUpperCase()}` }] }),
      [],
    ],
    [
      "an unknown chain, once",
      two({ ...dataSource, chain: "ours" }, { ...dataSource, abi: "b", chain: "ours" }),
      ['"ours" warning unknown-chain: no network named "ours" is known'],
    ],
    [
      "chains on the user's machine",
      two({ ...dataSource, chain: "localhost" }, { ...dataSource, abi: "b", chain: "anvil" }),
      [],
    ],
    [
      "chains that differ only in case",
      two({ ...dataSource, chain: "Ours" }, { ...dataSource, abi: "b", chain: "ours" }),
      [
        '"Ours" chain-case: the chains "ours" and "Ours" differ only in case',
        '"Ours" warning unknown-chain: no network named "Ours" is known',
        '"ours" warning unknown-chain: no network named "ours" is known',
      ],
    ],
    ["chains that agree", minimal({ chains: ["mainnet"] }), []],
    [
      "a chain without instances",
      minimal({ chains: ["mainnet", "base"] }),
      ['"base" warning ignored-chain: no instance is on the chain "base"'],
    ],
    [
      "a chain that is not listed",
      minimal({ chains: [] }),
      ['[] warning ignored-chain: "chains" does not list "mainnet"'],
    ],
    [
      "a template's chain that agrees",
      minimal({ instances: [dataSource, { ...template, chain: "mainnet" }] }),
      ['"chain" note template-setting: "chain" has no effect beside a "source"'],
    ],
    [
      "a template's block and chain, said once",
      minimal({ instances: [dataSource, { startBlock: 1, ...template, chain: "mainnet" }] }),
      ['"startBlock" note template-setting: "startBlock" and "chain" have no effect beside a "source"'],
    ],
    [
      "a template's block beside a chain that does not agree",
      minimal({ instances: [dataSource, { ...template, chain: "base", startBlock: 1 }] }),
      [
        '"base" warning ignored-chain: no instance with an address is on the chain "base"',
        '"startBlock" note template-setting: "startBlock" has no effect beside a "source"',
      ],
    ],
    [
      "a template's chain that does not",
      minimal({ instances: [dataSource, { ...template, chain: "base" }] }),
      ['"base" warning ignored-chain: no instance with an address is on the chain "base"'],
    ],
  ])("applies to %s", async (_, config, want) => {
    const { project, found } = await check(config);
    expect(found).toEqual(want);
    expect(project === undefined).toBe(want.some((line) => !/ (warning|note) /.test(line)));
  });

  test("applies to the ABI of a call", async () => {
    const handler = { calls: { c: { name: "f", abi: "aa" } }, entities: {} };
    const { found, hints } = await check(
      minimal({ instances: [{ ...dataSource, enrich: { handlers: { E: handler } } }] }),
    );
    expect(found).toEqual(['"aa" unknown-abi: no ABI named "aa" is declared']);
    expect(hints).toEqual(['write "a"']);
  });

  test("does not call an unreadable ABI unknown as well", async () => {
    const { found } = await check(minimal({ abis: { a: "<html>" } }));
    expect(found.map((line) => line.split(":")[0])).toEqual(['"<html>" not-an-abi']);
  });

  test.each([
    ["ethereum", "mainnet"],
    ["polygon", "matic"],
    ["arbitrum", "arbitrum-one"],
    ["gnosis", "xdai"],
    ["binance", "bsc"],
    ["Mainnet", "mainnet"],
    ["Polygon", "matic"],
    ["optimsm", "optimism"],
  ])("calls the chain %s by its name %s", async (chain, name) => {
    const { found, hints } = await check(minimal({ instances: [{ ...dataSource, chain }] }));
    expect(found).toEqual([`"${chain}" warning unknown-chain: no network named "${chain}" is known`]);
    expect(hints).toEqual([`write "${name}"`]);
  });

  test.each([
    "mainnet",
    "matic",
    "arbitrum-one",
    "xdai",
    "bsc",
    "base",
    "optimism",
    "sepolia",
    "avalanche",
    "zksync-era",
  ])("knows the chain %s", async (chain) => {
    expect((await check(minimal({ instances: [{ ...dataSource, chain }] }))).found).toEqual([]);
  });
});

describe("a large configuration", () => {
  test("shares an ABI between two names and reports its faults once", async () => {
    const host = memoryHost({
      "c.json": JSON.stringify(minimal({ abis: { a: { path: "x" }, b: { path: "x" } } })),
      x: "[{}]",
    });
    const report = new Report();
    const loaded = await load("c.json", host, report);
    if (loaded) validate(loaded, report);
    expect(report.diagnostics.map(({ code }) => code)).toEqual(["abi-entry", "unused-abi"]);
  });
});
