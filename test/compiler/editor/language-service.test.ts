import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { graphTsNames } from "../../../src/compiler/syntax/graph-ts-names.js";
import { exampleNames } from "../../support/compiler/examples.js";
import { completed, hovered, validated } from "./harness.js";

/** A complete configuration with `call` in its only call, `handler` beside the calls and so on. */
function config(extra: {
  readonly top?: string;
  readonly instance?: string;
  readonly handler?: string;
  readonly call?: string;
}): string {
  return `{
  "version": "1",
  "abis": { "T": { "path": "./abis/T.json" } },
  "instances": [
    {
      "abi": "T", "address": "0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03", "startBlock": 1, "chain": "mainnet",
      "enrich": {
        "handlers": {
          "Transfer": {
            "calls": { "balance": { "name": "balanceOf" ${extra.call ?? ""} } },
            "entities": { "Balance": { "value uint256": "calls.balance" } }
            ${extra.handler ?? ""}
          }
        }
      } ${extra.instance ?? ""}
    }
  ] ${extra.top ?? ""}
}`;
}

/** An instance with nothing but an enrichment. */
const enriched = (inner: string): string =>
  `{ "version": "1", "abis": { "T": { "path": "t.json" } }, "instances": [ { "abi": "T",
    "address": "0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03", "startBlock": 1, "chain": "mainnet",
    "enrich": { ${inner} } } ] }`;

describe("an unknown key", () => {
  it.each<[string, Parameters<typeof config>[0]]>([
    ["start_block", { instance: ', "start_block": 1' }],
    ["enrichments", { instance: ', "enrichments": []' }],
    ["instnces", { top: ', "instnces": []' }],
    ["Approval", { handler: ', "Approval": {}' }],
    ["dependsOn", { call: ', "dependsOn": []' }],
    ["before", { call: ', "conditions": { "before": "true" }' }],
  ])("is named: %s", async (key, extra) => {
    expect(await validated(config(extra))).toEqual([`"${key}": Property ${key} is not allowed.`]);
  });

  it("is reported differently from a key that another key rules out", async () => {
    const source = ', "source": { "abi": "T", "eventSignature": "E(address)", "addressParam": "a" }';
    expect(await validated(config({ instance: source }))).toEqual([
      expect.stringMatching(/: must have an "address" or a "source", not both$/),
    ]);
  });
});

describe("completion", () => {
  it.each<[string, string, readonly string[]]>([
    ["at the top", config({ top: ', "|"' }), ["$schema", "name", "enableCallHandlers"]],
    ["at the top of an empty file", '{ "|" }', ["version", "abis", "instances", "name"]],
    ["in an instance", config({ instance: ', "|"' }), ["source"]],
    [
      "in an empty instance",
      '{ "instances": [ { "|" } ] }',
      ["abi", "address", "startBlock", "chain", "source", "enrich"],
    ],
    [
      "in the source of a template",
      '{ "instances": [ { "source": { "|" } } ] }',
      ["abi", "eventSignature", "addressParam"],
    ],
    [
      "in a handler",
      '{ "instances": [ { "enrich": { "handlers": { "T": { "|" } } } } ] }',
      ["calls", "entities"],
    ],
    [
      "in a call",
      config({ call: ', "|"' }),
      ["abi", "source", "params", "depends_on", "required", "declared", "conditions"],
    ],
    ["in conditions", config({ call: ', "conditions": { "|" }' }), ["pre", "post"]],
    [
      "in an entity of a list",
      '{ "instances": [ { "enrich": { "handlers": { "T": { "entities": { "A": [ { "|" } ] } } } } } ] }',
      ["id", "explicit_id", "mapping"],
    ],
  ])("%s the editor offers the keys, each explained", async (_, text, keys) => {
    const offered = await completed(text);
    expect([...offered.keys()]).toEqual(expect.arrayContaining([...keys]));
    for (const key of keys) expect(offered.get(key), key).toMatch(/\w{3}/);
  });

  it("offers what graph-ts exports in imports", async () => {
    const offered = await completed(enriched('"options": { "imports": ["|"] }, "handlers": {}'));
    expect([...offered.keys()].map((label) => label.replaceAll('"', "")).sort()).toEqual(
      [...graphTsNames].sort(),
    );
  });

  it("does not offer keys that are already set", async () => {
    expect([...(await completed(config({ call: ', "|"' }))).keys()]).not.toContain("name");
  });

  it("offers the values of a switch and of the version", async () => {
    expect([...(await completed(config({ call: ', "required": |' }))).keys()]).toEqual(
      expect.arrayContaining(["true", "false"]),
    );
    expect([...(await completed('{ "version": | }')).keys()]).toContain('"1"');
  });
});

describe("hovering", () => {
  it.each([
    ['"version"', "version of this configuration format"],
    ['"abis"', "The contract interfaces"],
    ['"instances"', "contracts to index"],
    ['"startBlock"', "block to index from"],
    ['"chain"', "Name of the network"],
    ['"handlers"', "The keys are signatures"],
    ['"calls"', "Contract calls, each under"],
    ['"entities"', "Entities to create"],
    ['"balanceOf"', "Name of the function"],
    ['"calls.balance"', "AssemblyScript expression"],
  ])("over %s explains it", async (word, words) => {
    expect(await hovered(config({}), word)).toContain(words);
  });
});

describe("validation", () => {
  it("finds nothing in a valid configuration", async () => {
    expect(await validated(config({ call: ', "required": true' }))).toEqual([]);
  });

  it.each(exampleNames)("finds nothing in the example %s", async (example) => {
    const path = join("examples", example, "subgraph.json");
    expect(await validated(readFileSync(path, "utf8"), pathToFileURL(path).href)).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ["a wrong key at the top", config({ top: ', "contracts": []' }), /^"contracts"/],
    ["a wrong key in an instance", config({ instance: ', "enrichments": {}' }), /^"enrichments"/],
    ["a wrong key in a handler", config({ handler: ', "entity": {}' }), /^"entity"/],
    ["a wrong key in a call", config({ call: ', "param": "x"' }), /^"param"/],
    ["a wrong type in a call", config({ call: ', "required": "yes"' }), /^"yes": must be true or false/],
    ["a number for the version", config({}).replace('"1"', "1"), /^1: must be the string "1"/],
    ["a wrong address", config({}).replace("0x9C", "9C"), /^"9C8f\w+": must be "0x" and 40 hexadecimal/],
    ["a chain with a path", config({}).replace('"mainnet"', '"../x"'), /^"..\/x": must be a network name/],
    ["a wrong name of an ABI", config({}).replace('"T": {', '"a.b": {'), /^"a.b": an ABI's name is/],
    ["a wrong name of a call", config({}).replace('"balance":', '"1 b":'), /^"1 b": a call's name is/],
    ["a field without a type", config({}).replace("value uint256", "who"), /^"who": a field is its name, a/],
    [
      "a field without a type in a list",
      config({}).replace(/\{ "value.*?\}/, '[{ "id": "1", "mapping": { "who": "1" } }]'),
      /^"who": a field is its name, a/,
    ],
    [
      "an import that graph-ts lacks",
      enriched('"options": { "imports": ["BigInteger"] }, "handlers": {}'),
      /^"BigInteger": must be a name that graph-ts/,
    ],
    ["a wrong name of an entity", config({}).replace('"Balance"', '"a b"'), /^"a b": an entity's name is/],
    ["a number for an expression", config({}).replace('"calls.balance"', "5"), /^5: must be an expression/],
    ["a call without a name", config({}).replace('"name": "balanceOf"', ""), /^"balance": .*"name"/s],
    ["a string for a list", config({ call: ', "depends_on": "a"' }), /^"a": must be a list of call names/],
    [
      "an empty entity in a list",
      config({}).replace(/\{ "value.*?\}/, "[]"),
      /^\[\]: Array has too few items/,
    ],
    ["a string for the start block", config({}).replace(": 1,", ': "x1",'), /^"x1": must be a whole number/],
  ])("flags %s once, at its place", async (_, text, finding) => {
    expect(await validated(text)).toEqual([expect.stringMatching(finding)]);
  });

  it("flags every fault of a file", async () => {
    const text = config({ top: ', "nam": "x"', call: ', "required": 1', instance: ', "enrich ": {}' });
    const places = (await validated(text)).map((finding) => finding.split(":")[0]);
    expect(places.sort()).toEqual(['"enrich "', '"nam"', "1"]);
  });
});
