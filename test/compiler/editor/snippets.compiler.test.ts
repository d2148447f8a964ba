import { describe, expect, it } from "vitest";
import { compile } from "../../../src/machine/compiler/compile.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event, fn } from "../abi/entries.js";
import { accepted, completed, schema, validated } from "./harness.js";

/* The schema and graphloom itself accept the text that an editor inserts, without changes. */

const transfer = event("Transfer", "indexed address from", "indexed address to", "uint256 value");
const created = event("PoolCreated", "indexed address token", "address pool");
const balanceOf = fn("balanceOf", "view", ["address owner"], ["uint256"]);
const abiFiles = {
  "abis/erc20.json": JSON.stringify([transfer, balanceOf]),
  "abis/factory.json": JSON.stringify([created]),
  "abis/pool.json": JSON.stringify([transfer, balanceOf]),
};

const address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const factory = `{ "abi": "factory", "address": "${address}", "startBlock": 1, "chain": "mainnet" }`;
const plain = `{ "abi": "erc20", "address": "${address}", "startBlock": 1, "chain": "mainnet" }`;
const abis = `"erc20": { "path": "./abis/erc20.json" }, "factory": { "path": "./abis/factory.json" },
  "pool": { "path": "./abis/pool.json" }`;

const whole = (instances: string): string =>
  `{ "version": "1", "abis": { ${abis} }, "instances": [${factory}, ${instances}] }`;
const token = (inner: string): string =>
  whole(`{ "abi": "erc20", "address": "${address}", "startBlock": 1, "chain": "mainnet", ${inner} }`);
const enriched = (inner: string): string => token(`"enrich": { ${inner} }`);
const handler = (inner: string): string => enriched(`"handlers": { "Transfer": ${inner} }`);
const calling = (call: string): string =>
  handler(
    `{ "calls": { "balance": ${call} }, "entities": { "Holder": { "balance uint256": "calls.balance" } } }`,
  );
const keeping = (entity: string): string => handler(`{ "entities": { "Holder": ${entity} } }`);
const field = (key: string, value: string): string =>
  handler(
    `{ "calls": { "balance": { "name": "balanceOf", "params": "event.params.to" } },
       "entities": { "Holder": { "${key}": ${value} } } }`,
  );

const places: readonly (readonly [text: string, labels: readonly string[]])[] = [
  ["|", ["configuration"]],
  [`{ "version": "1", "abis": |, "instances": [${plain}] }`, ["ABI file"]],
  [`{ "version": "1", "abis": { "erc20": | }, "instances": [${plain}] }`, ["ABI file"]],
  [`{ "version": "1", "abis": { ${abis} }, "instances": | }`, ["one contract"]],
  [
    `{ "version": "1", "abis": { ${abis} }, "instances": [${plain}], "mapping": | }`,
    ["mapping and entities"],
  ],
  [whole("|"), ["contract at an address", "contracts created by another", "contract with an enrichment"]],
  [whole(`{ "abi": "pool", "source": | }`), ["source of a template"]],
  [token(`"enrich": |`), ["enrichment"]],
  [enriched(`"options": |, "handlers": {}`), ["options"]],
  [enriched(`"handlers": |`), ["handler"]],
  [handler("|"), ["calls and entities", "entities"]],
  [handler(`{ "calls": |, "entities": {} }`), ["call"]],
  [handler(`{ "entities": | }`), ["entity"]],
  [
    calling("|"),
    ["call", "required call", "declared call", "call of another contract", "call with conditions"],
  ],
  [calling(`{ "name": "balanceOf", "params": "event.params.to", "conditions": | }`), ["conditions"]],
  [keeping("|"), ["entity", "several entities", "entity with an explicit id"]],
  [keeping("[ | ]"), ["entity of a list", "entity with an explicit id"]],
  [keeping(`[ { "id": "\\"x\\"", "mapping": | } ]`), ["field"]],
  [field("value uint256", "|"), ["parameter", "result of a call", "block number"]],
  [field("who address", "|"), ["address as text"]],
];

const snippets = places.flatMap(([text, labels]) => labels.map((label) => [label, text] as const));

/** The files that the snippet of a mapping names. */
const mappingFiles = {
  "positions.ts": "",
  "positions.graphql": "type Position @entity(immutable: false) { id: ID! }",
};

/** The errors graphloom finds. */
async function errorsIn(text: string): Promise<string[]> {
  const { diagnostics } = await compile(
    "subgraph.json",
    memoryHost({ "subgraph.json": text, ...abiFiles, ...mappingFiles }),
  );
  return diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message);
}

describe("a snippet", () => {
  it.each(snippets)("%s is explained, valid and compiles: %s", async (label, place) => {
    expect((await completed(place)).get(label)).toMatch(/^[A-Z].*\.$/);
    const text = await accepted(place, label);
    expect(text).not.toMatch(/\$\{|\||\^/);
    expect(await validated(text)).toEqual([]);
    expect(await errorsIn(text)).toEqual([]);
  });

  it("is tested above for every place in the schema", () => {
    const declared = new Set<string>();
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === "defaultSnippets")
        for (const { label } of value as { label: string }[]) declared.add(label);
      return value;
    });
    expect([...declared].sort()).toEqual([...new Set(snippets.map(([label]) => label))].sort());
  });
});

/** The text after a key, without the inside of its value. */
const startOfValue = (text: string, key: string): string | undefined =>
  new RegExp(`"${key}": ?([{["\\w]?)`).exec(text)?.[1];

describe("a key", () => {
  const call = '"name": "balanceOf", "params": "event.params.to"';
  it.each<[key: string, value: string, place: string]>([
    ["name", "", `{ "version": "1", "abis": { ${abis} }, "instances": [${plain}], "|" }`],
    ["enableCallHandlers", "", `{ "version": "1", "abis": { ${abis} }, "instances": [${plain}], "|" }`],
    ["address", '"', '{ "instances": [ { "abi": "erc20", "|" } ] }'],
    ["startBlock", "6", '{ "instances": [ { "abi": "erc20", "|" } ] }'],
    ["source", "", whole('{ "abi": "pool", "|" }')],
    ["enrich", "", token('"|"')],
    ["options", "", enriched('"handlers": {}, "|"')],
    ["calls", "", handler('{ "entities": {}, "|" }')],
    ["params", '"', calling('{ "name": "balanceOf", "|" }')],
    ["depends_on", "", calling(`{ ${call}, "|" }`)],
    ["mapping", "", keeping('[ { "id": "\\"x\\"", "|" } ]')],
  ])("%s is inserted with its only example, or without a value: %s", async (key, value, place) => {
    const text = await accepted(place, key);
    expect(startOfValue(text, key)).toBe(value);
    const findings = value === "" ? [] : (await validated(text)).filter((line) => line.includes(key));
    expect(findings).toEqual([]);
  });

  it.each<[place: string, text: string, keys: readonly string[]]>([
    ["ABIs", `{ "abis": { "|" } }`, ["erc20"]],
    ["handlers", enriched('"handlers": { "|" }'), ["Transfer(indexed address,indexed address,uint256)"]],
    ["calls", handler('{ "calls": { "|" }, "entities": {} }'), ["balance"]],
    ["entities", handler('{ "entities": { "|" } }'), ["Holder"]],
    ["fields of a list", keeping('[ { "id": "x", "mapping": { "|" } } ]'), ["balance uint256"]],
  ])("of the user's choice is shown by an example: %s", async (_, text, keys) => {
    expect([...(await completed(text)).keys()]).toEqual(keys);
  });

  it("of the older format is not offered", async () => {
    expect([...(await completed('{ "|" }')).keys()]).not.toContain("chains");
  });
});

it("every setting has an example or a default, and a description", () => {
  const bare: string[] = [];
  JSON.stringify(schema, (key, value: unknown) => {
    if (key !== "properties" && key !== "$defs") return value;
    for (const [name, setting] of Object.entries(value as Record<string, object>)) {
      if ("$ref" in setting) continue;
      for (const wanted of ["title", "description", "examples"]) {
        if (!(wanted in setting)) bare.push(`${name}: ${wanted}`);
      }
    }
    return value;
  });
  expect(bare).toEqual([]);
});
