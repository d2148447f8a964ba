import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { getLanguageService, type JSONSchema, TextDocument } from "vscode-json-languageservice";

/* What an editor that understands JSON Schema, such as VS Code, makes of the schema. */

const schema = JSON.parse(readFileSync("schemas/config-v1.schema.json", "utf8")) as JSONSchema;
const service = getLanguageService({
  schemaRequestService: async (uri) => readFileSync(fileURLToPath(uri), "utf8"),
  workspaceContext: { resolveRelativePath: (relative, resource) => new URL(relative, resource).href },
});
service.configure({ validate: true, schemas: [{ uri: schema.$id ?? "", fileMatch: ["*"], schema }] });

function open(text: string, uri = "file:///subgraph.json") {
  const document = TextDocument.create(uri, "json", 1, text);
  return { document, json: service.parseJSONDocument(document) };
}

/** A whole configuration with `call` in its only call, `handler` beside the calls and so on. */
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

/** What is offered where `|` stands, by label, with the text that explains it. */
async function completed(text: string): Promise<ReadonlyMap<string, string>> {
  const offset = text.indexOf("|");
  const { document, json } = open(text.replace("|", ""));
  const list = await service.doComplete(document, document.positionAt(offset), json);
  return new Map(
    (list?.items ?? []).map(({ label, documentation }) => [
      label,
      typeof documentation === "object" ? documentation.value : (documentation ?? ""),
    ]),
  );
}

/** What is shown when the mouse rests on `word`. */
async function hovered(text: string, word: string): Promise<string> {
  const { document, json } = open(text);
  const hover = await service.doHover(document, document.positionAt(text.indexOf(word) + 2), json);
  return JSON.stringify(hover?.contents ?? "");
}

/** Each finding: the text it covers and its message. */
async function validated(text: string, uri?: string): Promise<string[]> {
  const { document, json } = open(text, uri);
  const found = await service.doValidation(document, json);
  return found.map(({ range, message }) => `${document.getText(range)}: ${message}`);
}

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
  ])("%s offers the keys, each explained", async (_, text, keys) => {
    const offered = await completed(text);
    expect([...offered.keys()]).toEqual(expect.arrayContaining([...keys]));
    for (const key of keys) expect(offered.get(key), key).toMatch(/\w{3}/);
  });

  it("does not offer what is there already", async () => {
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
    ['"abis"', "Every contract interface"],
    ['"instances"', "contracts to index"],
    ['"startBlock"', "block to index from"],
    ['"chain"', "Name of the network"],
    ['"handlers"', "by its signature"],
    ['"calls"', "Contract calls by the name"],
    ['"entities"', "Entities to create"],
    ['"balanceOf"', "Name of the function"],
    ['"calls.balance"', "AssemblyScript expression"],
  ])("over %s explains it", async (word, words) => {
    expect(await hovered(config({}), word)).toContain(words);
  });
});

describe("validation", () => {
  it("finds nothing in a right configuration", async () => {
    expect(await validated(config({ call: ', "required": true' }))).toEqual([]);
  });

  it.each(readdirSync("examples"))("finds nothing in the example %s", async (example) => {
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
    ["a text for the start block", config({}).replace(": 1,", ': "x1",'), /^"x1": must be a whole number/],
  ])("flags %s, there and once", async (_, text, finding) => {
    expect(await validated(text)).toEqual([expect.stringMatching(finding)]);
  });
});
