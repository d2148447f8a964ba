import { describe, expect, test } from "vitest";
import { configFromOptions } from "../../../src/compiler/scaffold/config-from-options.js";
import type { ConfigOptions } from "../../../src/compiler/scaffold/read-options.js";
import { compile } from "../../../src/machine/compiler/compile.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event, fn } from "../abi/entries.js";
import { span, textAt } from "../parse/harness.js";

const address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const other = "0x00000000000000000000000000000000000000a1";
const transfer = event("Transfer", "address from", "uint256 value");
const approval = event("Approval", "address owner");
const anonymous = { ...event("Hidden", "address owner"), anonymous: true };
const balanceOf = fn("balanceOf", "view", ["address who"], ["uint256"]);
const burn = fn("burn", "nonpayable", ["uint256 value"]);
const mint = fn("mint", "payable");
const error = { type: "error", name: "No", inputs: [] };
const token = [transfer, approval, balanceOf, burn, mint, error];

const required: ConfigOptions = {
  abi: "Token.json",
  contract: address,
  network: "mainnet",
  callHandlers: false,
};

function make(options: Partial<ConfigOptions> = {}, files: Readonly<Record<string, string>> = {}) {
  const host = memoryHost({ "Token.json": JSON.stringify(token), ...files });
  return configFromOptions({ ...required, ...options }, host);
}

/** The files of the new project, parsed. */
async function made(options: Partial<ConfigOptions> = {}, files: Readonly<Record<string, string>> = {}) {
  const config = await make(options, files);
  if (config.kind !== "made") throw new Error(JSON.stringify(config));
  return Object.fromEntries([...config.files].map(([path, text]) => [path, JSON.parse(text)]));
}

/** The findings: the place and its text, the code, and the hint. */
async function findings(options: Partial<ConfigOptions>, files: Readonly<Record<string, string>> = {}) {
  const config = await make(options, files);
  if (config.kind === "usage") return [config.message];
  const found =
    config.kind === "faulty"
      ? config.diagnostics
      : config.bringHome((await compile(config.path, config.host)).diagnostics);
  return found.map(({ at, code, hint, related, fix }) => [
    at ? `${at.source.path}:${span(at)} ${textAt(at)}` : "nowhere",
    code,
    ...(hint === undefined ? [] : [hint]),
    ...related.map((place) => `${place.at.source.path}:${span(place.at)}`),
    ...(fix ? ["fix"] : []),
  ]);
}

describe("a configuration from options", () => {
  test("describes one contract", async () => {
    const config = await make({ name: "pools/1.0.0", startBlock: "12" });
    expect(config.kind === "made" && config.files.get("config/subgraph.json")).toBe(`{
  "version": "1",
  "name": "pools/1.0.0",
  "abis": {
    "Token": {
      "path": "./abis/Token.json"
    }
  },
  "instances": [
    {
      "abi": "Token",
      "address": "${address}",
      "startBlock": 12,
      "chain": "mainnet"
    }
  ]
}
`);
    expect((await made())["config/abis/Token.json"]).toEqual(token);
  });

  test("describes several contracts, ABIs and chains", async () => {
    const files = await made(
      {
        abi: "Token.json,x/pool.json,Token.json",
        contract: `${address},${other},${other}`,
        network: "mainnet,matic,matic",
      },
      { "x/pool.json": JSON.stringify([transfer]) },
    );
    expect(Object.keys(files)).toEqual([
      "config/subgraph.json",
      "config/abis/Token.json",
      "config/abis/Pool.json",
    ]);
    expect(files["config/subgraph.json"]).toEqual({
      version: "1",
      abis: { Token: { path: "./abis/Token.json" }, Pool: { path: "./abis/Pool.json" } },
      instances: [
        { abi: "Token", address, startBlock: 0, chain: "mainnet" },
        { abi: "Pool", address: other, startBlock: 0, chain: "matic" },
        { abi: "Token", address: other, startBlock: 0, chain: "matic" },
      ],
    });
  });

  test("uses safe file and property names for odd contract names", async () => {
    const files = await made({ contractName: "__proto__,my token", contract: `${address},${other}` });
    const { abis, instances } = files["config/subgraph.json"];
    expect(Object.entries(abis)).toEqual([
      ["__proto__", { path: "./abis/Proto.json" }],
      ["my token", { path: "./abis/MyToken.json" }],
    ]);
    expect(instances.map(({ abi }: { abi: string }) => abi)).toEqual(["__proto__", "my token"]);
  });

  test.each<[string, string]>([
    ["a build artifact", JSON.stringify({ contractName: "Token", abi: token, bytecode: "0x" })],
    ["an explorer's answer", JSON.stringify({ status: "1", result: JSON.stringify(token) })],
  ])("accepts an ABI in %s", async (_, text) => {
    expect((await made({}, { "Token.json": text }))["config/abis/Token.json"]).toEqual(token);
  });

  test.each<[string, Partial<ConfigOptions>, readonly object[], true | undefined]>([
    ["events", { contractEvents: "Approval" }, [approval, balanceOf, burn, mint, error], undefined],
    ["calls", { contractCalls: "burn(uint256)" }, [transfer, approval, balanceOf, burn, error], true],
    ["both", { contractEvents: "Transfer", contractCalls: "mint" }, [transfer, balanceOf, mint, error], true],
    ["all calls", { callHandlers: true }, token, true],
  ])("keeps only a selection of %s", async (_, options, abi, enableCallHandlers) => {
    const files = await made(options);
    expect(files["config/abis/Token.json"]).toEqual(abi);
    expect(files["config/subgraph.json"].enableCallHandlers).toEqual(enableCallHandlers);
  });

  test.each<[string, unknown]>([
    ["0", 0],
    ["007", 7],
    ["1e3", 1000],
    ["-1", -1],
    ["1.5", 1.5],
    ["12a", "12a"],
    ["0x10", "0x10"],
    ["1e999", "1e999"],
  ])("reads the start block %s", async (startBlock, want) => {
    expect((await made({ startBlock }))["config/subgraph.json"].instances[0].startBlock).toEqual(want);
  });
});

describe("a finding from the options", () => {
  test.each<[string, Partial<ConfigOptions>, readonly (readonly string[])[]]>([
    ["the digit of an address", { contract: `${other},0x12g4` }, [["<options>:2:59-2:60 g", "wrong-value"]]],
    [
      "the address",
      { contract: `0x12,${other}` },
      [["<options>:2:12-2:16 0x12", "wrong-value", "copy the whole address"]],
    ],
    [
      "a network, once for all contracts",
      { contract: `${other},${address}`, network: "ethereum" },
      [["<options>:3:11-3:19 ethereum", "unknown-chain", 'write "mainnet"']],
    ],
    [
      "a start block",
      { startBlock: "1,x", contract: `${other},${address}` },
      [["<options>:4:17-4:18 x", "wrong-type", "write the number of the block that created the contract"]],
    ],
    [
      "a start block, once for all contracts",
      { startBlock: "x", contract: `${other},${address}` },
      [["<options>:4:15-4:16 x", "wrong-type", "write the number of the block that created the contract"]],
    ],
    [
      "two addresses",
      { contract: `${other},${other}` },
      [[`<options>:2:55-2:97 ${other}`, "duplicate-address", "remove one of the two", "<options>:2:12-2:54"]],
    ],
    ["a name", { contractName: "a/b" }, [["<options>:3:17-3:20 a/b", "wrong-name", 'rename it to "a_b"']]],
    [
      "an ABI without events",
      { abi: "Calls.json" },
      [["<options>:1:7-1:17 Calls.json", "nothing-to-index", "pass --call-handlers to index its calls"]],
    ],
    [
      "an ABI with only view functions",
      { abi: "Reads.json" },
      [["<options>:1:7-1:17 Reads.json", "nothing-to-index", "remove the contract"]],
    ],
    [
      "an ABI without the selected events",
      { abi: "Token.json,Calls.json", contract: `${address},${other}`, contractEvents: "Transfer" },
      [
        [
          "<options>:1:18-1:28 Calls.json",
          "nothing-to-index",
          "select one of its events, or pass --call-handlers to index its calls",
        ],
      ],
    ],
    [
      "a missing ABI file",
      { abi: "no.json" },
      [["<options>:1:7-1:14 no.json", "abi-missing", "paths are relative to the current folder"]],
    ],
    [
      "an ABI file without an ABI, at its fault",
      { abi: "broken.json" },
      [
        [
          "<options>:1:7-1:18 broken.json",
          "not-an-abi",
          'give an ABI array, or a build artifact with one under "abi"',
          "broken.json:1:3-1:4",
        ],
      ],
    ],
    [
      "an entry of an ABI file",
      { abi: "faulty.json" },
      [['faulty.json:3:24-3:33 "not ok!"', "abi-entry", "copy the ABI from the compiler's output again"]],
    ],
    [
      "an entry of an ABI file, beside a selection",
      { abi: "faulty.json", contractEvents: "Transfer" },
      [['faulty.json:3:24-3:33 "not ok!"', "abi-entry", "copy the ABI from the compiler's output again"]],
    ],
    [
      "the entry that is selected",
      { abi: "half.json", contractEvents: "Half" },
      [["half.json:1:50-1:52 42", "abi-entry", "copy the ABI from the compiler's output again"]],
    ],
    [
      "an ABI file that looks like a configuration",
      { abi: "other.json" },
      [
        [
          "<options>:1:7-1:17 other.json",
          "not-an-abi",
          'give an ABI array, or a build artifact with one under "abi"',
          "other.json:1:14-1:15",
        ],
      ],
    ],
    [
      "an entry behind some that were left out",
      { abi: "hidden.json", contractEvents: "Hidden,Transfer" },
      [["<options>:1:7-1:18 hidden.json", "event-skipped", "hidden.json:4:24-4:32"]],
    ],
  ])("points at %s", async (_, options, want) => {
    const found = await findings(options, {
      "Calls.json": JSON.stringify([burn]),
      "Reads.json": JSON.stringify([fn("total", "view", [], ["uint256"])]),
      "broken.json": "[ }",
      "faulty.json": `[\n${JSON.stringify(transfer)},\n${JSON.stringify({ ...transfer, name: "not ok!" })}\n]`,
      "half.json": JSON.stringify([{ type: "event", name: "Half", inputs: [{ name: 42, type: "bool" }] }]),
      "other.json": '{"abis":{"0":}}',
      "hidden.json": `[\n${JSON.stringify(approval)},\n${JSON.stringify(transfer)},\n${JSON.stringify(anonymous)}\n]`,
    });
    expect(found).toEqual(want);
  });
});

test("init quotes a start block of many digits unchanged", async () => {
  const config = await make({ startBlock: "9007199254740993" });
  if (config.kind !== "made") throw new Error(config.kind);
  const { diagnostics } = await compile(config.path, config.host);
  expect(config.bringHome(diagnostics).map(({ message }) => message)).toEqual([
    '"startBlock" cannot be the number 9007199254740993',
  ]);
});

test("init notes an event without a type once", async () => {
  const untyped = { name: "Old", anonymous: false, inputs: [] };
  const found = await findings(
    { abi: "old.json", contractEvents: "Old" },
    { "old.json": JSON.stringify([untyped]) },
  );
  expect(found.map(([, code]) => code)).toEqual(["abi-entry-type"]);
});

test("init reads no other file for the new configuration", async () => {
  const config = await make();
  if (config.kind !== "made") throw new Error(config.kind);
  expect(await config.host.readFile("Token.json", 10)).toEqual({ kind: "missing" });
  const { ok, diagnostics } = await compile(config.path, config.host);
  expect([ok, diagnostics]).toEqual([true, []]);
});
