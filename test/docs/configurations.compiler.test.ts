import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { looksLikeTest, readJsonTest } from "../../src/testing/json/read-json-test.js";
import { graphloom, workplace } from "../cli/harness.js";
import { type CodeBlock, codeBlocks, theBlock, typedIn } from "../support/docs/code-blocks.js";
import { pages, root } from "../support/docs/pages.js";

/** ABIs that the manual's configurations name, by the file's name. */
const abis: Readonly<Record<string, string>> = {
  "Token.json": "examples/demo/abis/Token.json",
  "ERC20.json": "examples/erc20-multichain/abis/ERC20.json",
  "UniswapV3Factory.json": "examples/uniswap-v3/abis/UniswapV3Factory.json",
  "UniswapV3Pool.json": "examples/uniswap-v3/abis/UniswapV3Pool.json",
  "NounsToken.json": "examples/nouns/abis/NounsToken.json",
};

/** The ABI files that a configuration names, by their paths. */
function abiFilesOf(configuration: string): Readonly<Record<string, Uint8Array>> {
  const paths = [...configuration.matchAll(/"?path"?: "?([^"\s]+)"?/g)].map(([, path = ""]) => path);
  return Object.fromEntries(
    paths.map((path) => [path, readFileSync(join(root, abis[basename(path)] ?? path))]),
  );
}

/** A handler of a page in its own configuration. */
function around(handler: string): string {
  const pool = "0x8ad599c3a0ff1de082011efddc58f1908eb6e6d8";
  const enrich = { handlers: { Initialize: JSON.parse(handler) } };
  return JSON.stringify({
    version: "1",
    name: "pool/1.0.0",
    abis: { Pool: { path: "./UniswapV3Pool.json" } },
    instances: [{ abi: "Pool", address: pool, startBlock: 1, chain: "mainnet", enrich }],
  }).replaceAll('"path":', '"path": ');
}

const blocks = codeBlocks(pages());
const data = blocks
  .filter(({ language }) => ["json", "yaml"].includes(language))
  .map((block) => ({ at: `${block.path}:${block.line}`, ...block }));
const isConfiguration = ({ text }: CodeBlock): boolean => /^\s*"?instances"?:/m.test(text);
const isHandler = ({ text }: CodeBlock): boolean => /^\{\s*"(?:calls|entities)":/.test(text);

const isTest = ({ text, language }: CodeBlock): boolean => language === "json" && looksLikeTest(text);

describe("the blocks of JSON and YAML", () => {
  it.each(data)("can be parsed: $at", ({ language, text }) => {
    expect(language === "json" ? JSON.parse(text) : parseYaml(text)).toBeInstanceOf(Object);
  });

  it("include configurations, parts of pipelines, what sinks send with its schemas, handlers, tests and answers to queries", () => {
    // Definitions are validated by the tests of flows.
    const isOfPipeline = ({ text }: (typeof data)[number]): boolean =>
      /^(?:sinks|transforms|tests):$/m.test(text) || /"op": "[iud]"|"type": "record"/.test(text);
    const rest = data.filter(
      (block) => !isConfiguration(block) && !isHandler(block) && !isOfPipeline(block) && !isTest(block),
    );
    // Settings of agents have a test beside that of the skill, workflows have one beside that of the action, and files
    // with options have one beside that of serve --config.
    const others = rest.filter(
      ({ text }) => !text.startsWith('{\n  "mcpServers":') && !/^ *(?:- )?uses: |^data: /m.test(text),
    );
    expect(others.filter(({ text }) => !text.startsWith('{\n  "data":')).map(({ at }) => at)).toEqual([]);
  });

  it.each(data.filter(isTest))("have tests that can be read: $at", ({ text }) => {
    expect(readJsonTest(text).blocks.length).toBeGreaterThan(0);
  });
});

/** The mapping of one's own and its schema that the manual shows. */
const mappingFiles = {
  "holdings.ts": theBlock(blocks, ({ language }) => language === "ts").text,
  "holdings.graphql": theBlock(
    blocks,
    ({ language, text }) => language === "graphql" && text.includes("@entity"),
  ).text,
};

describe("the configurations of README.md and the manual", () => {
  const found = data.filter(isConfiguration);

  it("exist in JSON and in YAML", () => {
    expect(found.filter(({ language }) => language === "json").length).toBeGreaterThanOrEqual(4);
    expect(found.filter(({ language }) => language === "yaml").length).toBeGreaterThanOrEqual(1);
  });

  it.each(found)("compile: $at", async ({ language, text }) => {
    const file = `subgraph.${language}`;
    const cwd = workplace({ [file]: text, ...abiFilesOf(text), ...mappingFiles });
    expect(await graphloom(cwd, `check ${file}`)).toMatchObject({ code: 0, err: "" });
  });

  it.each(data.filter(isHandler))("compile around a handler: $at", async ({ text }) => {
    const configuration = around(text);
    const cwd = workplace({ "subgraph.json": configuration, ...abiFilesOf(configuration) });
    expect(await graphloom(cwd, "check")).toMatchObject({ code: 0, err: "" });
  });
});

describe("the report on diagnostics.md", () => {
  const bad = `{
  "version": "1",
  "name": "token/1.0.0",
  "abis": { "Token": { "path": "./Token.json" } },
  "instances": [
    {
      "abi": "Token",
      "address": "0x67ba3c4b3ab1f3da4643a330482c2bfdda37df47",
      "startBlock": 8214301,
      "chain": "sepolia",
      "enrich": {
        "handlers": {
          "Transfer": {
            "calls": { "balance": { "name": "balanceof", "params": "event.params.to" } },
            "entities": { "Holder": { "owner address": "event.params.to" } }
          }
        }
      }
    }
  ]
}
`;

  it("is what graphloom prints for its configuration", async () => {
    const isReport = ({ path, language }: CodeBlock): boolean =>
      path === "docs/diagnostics.md" && language === "console";
    const [typed] = typedIn(theBlock(blocks, isReport));
    const cwd = workplace({ "bad.json": bad, ...abiFilesOf(bad) });
    const { code, err } = await graphloom(cwd, "check bad.json");
    expect([typed?.line, code, err]).toEqual(["graphloom check bad.json\n", 1, typed?.output]);
  });
});
