import { expect, it } from "vitest";
import { stringify } from "yaml";
import { fixInRounds } from "../../../src/compiler/fix/fix-in-rounds.js";
import { check } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event, fn } from "../abi/entries.js";

/*
 * The mistakes of people who know manifests, other tools or the format by heart, one per row. The fixes do what the
 * hints say, so a configuration compiles after its author follows the hints.
 */

const address = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const signature = "Transfer(address,uint256)";
const abi = [
  event("Transfer", "indexed address to", "uint256 value"),
  fn("balanceOf", "view", ["address who"], ["uint256"]),
  fn("pair", "view", ["address who", "uint256 value"], ["uint256"]),
];
const instance = { abi: "Token", address, startBlock: 1, chain: "mainnet" };
const call = { name: "balanceOf", params: "event.params.to", required: true };
const pairCall = { ...call, name: "pair" };
const entities = { Holder: { "balance uint256": "calls.balance" } };
const template = { abi: "Token", source: { abi: "Token", eventSignature: "Transfer", addressParam: "to" } };

const files = { "abis/T.json": JSON.stringify({ abi }), "abis/T.abi": JSON.stringify(abi) };

const whole = (changes: object): object => ({
  version: "1",
  name: "token",
  abis: { Token: abi },
  instances: [instance],
  ...changes,
});
const renamed = (one: object, from: string, to: string, value?: unknown): object =>
  Object.fromEntries(
    Object.entries(one).map(([key, known]) => (key === from ? [to, value ?? known] : [key, known])),
  );
const oneInstance = (one: object): object => whole({ instances: [one] });
const enriched = (enrich: object): object => oneInstance({ ...instance, enrich });
const calling = (one: object): object =>
  enriched({ handlers: { [signature]: { calls: { balance: one }, entities } } });
const handler = { calls: { balance: call }, entities };

const mistakes: readonly (readonly [string, object])[] = [
  ["network", oneInstance(renamed(instance, "chain", "network"))],
  ["chainId", oneInstance(renamed(instance, "chain", "chainId", 1))],
  ["chainId in quotes", oneInstance(renamed(instance, "chain", "chainId", "1"))],
  ["chainId with a name", oneInstance(renamed(instance, "chain", "chainId", "mainnet"))],
  ["chain_id", oneInstance(renamed(instance, "chain", "chain_id", 137))],
  ["chain by number", oneInstance({ ...instance, chain: 1 })],
  ["chain by number, as text", oneInstance({ ...instance, chain: "137" })],
  ["chain by CAIP-2", oneInstance({ ...instance, chain: "eip155:8453" })],
  ["chain by full name", oneInstance({ ...instance, chain: "Ethereum Mainnet" })],
  ["chain by another tool's name", oneInstance({ ...instance, chain: "polygon-mainnet" })],
  ["contract", oneInstance(renamed(instance, "address", "contract"))],
  ["contractAddress", oneInstance(renamed(instance, "address", "contractAddress"))],
  ["fromBlock", oneInstance(renamed(instance, "startBlock", "fromBlock"))],
  ["a block in quotes", oneInstance({ ...instance, startBlock: "1" })],
  ["contractName", oneInstance(renamed(instance, "abi", "contractName"))],
  ["contracts", renamed(whole({}), "instances", "contracts")],
  ["callHandlers", whole({ callHandlers: false })],
  ["version as a number", whole({ version: 1 })],
  ["no version", { name: "token", abis: { Token: abi }, instances: [instance] }],
  ["an address without 0x", oneInstance({ ...instance, address: address.slice(2) })],
  ["an underscore before a parameter", calling({ ...call, params: "event.params._to" })],
  ["enrichments", oneInstance({ ...instance, enrichments: { handlers: { [signature]: handler } } })],
  ["handlers without enrich", oneInstance({ ...instance, handlers: { [signature]: handler } })],
  ["a signature without handlers", enriched({ [signature]: handler })],
  ["eventHandlers", enriched({ eventHandlers: { [signature]: handler } })],
  ["options without options", enriched({ debugging: true, handlers: { [signature]: handler } })],
  ["a call without calls", enriched({ handlers: { [signature]: { balance: call, entities } } })],
  [
    "an entity without entities",
    enriched({ handlers: { [signature]: { calls: { balance: call }, ...entities } } }),
  ],
  ["method", calling(renamed(call, "name", "method"))],
  ["functionName", calling(renamed(call, "name", "functionName"))],
  ["params as a list of one", calling({ ...call, params: ["event.params.to"] })],
  ["params as a list", calling({ ...pairCall, params: ["event.params.to", "event.params.value"] })],
  ["args as a list", calling(renamed({ ...call, params: ["event.params.to"] }, "params", "args"))],
  ["args", calling(renamed(call, "params", "args"))],
  ["contract of a call", calling({ ...call, contract: "event.address" })],
  ["ABI of a call", calling({ ...call, contract: "Token" })],
  ["pre without conditions", calling({ ...call, pre: "true" })],
  ["required in quotes", calling({ ...call, required: "true" })],
  [
    "event of a source",
    whole({
      instances: [instance, { ...template, source: renamed(template.source, "eventSignature", "event") }],
    }),
  ],
  [
    "parameter of a source",
    whole({
      instances: [instance, { ...template, source: renamed(template.source, "addressParam", "parameter") }],
    }),
  ],
  ["template", whole({ instances: [instance, renamed(template, "source", "template")] })],
  ["the path of an ABI without path", whole({ abis: { Token: "./abis/T.json" } })],
  ["the path of an ABI without .json", whole({ abis: { Token: "abis/T.abi" } })],
  ["an artifact", whole({ abis: { Token: { contractName: "Token", abi, bytecode: "0x" } } })],
  [
    "an explorer's answer",
    whole({ abis: { Token: { status: "1", message: "OK", result: JSON.stringify(abi) } } }),
  ],
];

it.each(mistakes)("check --fix fixes the mistake in JSON and in YAML: %s", async (_name, config) => {
  for (const [path, text] of [
    ["c.json", JSON.stringify(config, null, 2)],
    ["c.yaml", stringify(config)],
  ] as const) {
    const judge = async (edited: string) => check(path, memoryHost({ [path]: edited, ...files }), { asc });
    const { diagnostics } = await judge(text);
    const fixed = await fixInRounds(
      { path, text },
      diagnostics,
      async (edited) => (await judge(edited)).diagnostics,
    );
    expect(fixed.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
    expect((await judge(fixed.text)).ok).toBe(true);
  }
});

it("check --fix quotes an address that YAML takes for a number", async () => {
  const text = stringify(whole({}))
    .replace(`"${address}"`, address)
    .replace(`address: ${address}`, `address: ${address} # USDC`);
  const judge = async (edited: string) => check("c.yaml", memoryHost({ "c.yaml": edited }), { asc });
  const { diagnostics } = await judge(text);
  expect(diagnostics.map(({ hint }) => hint)).toEqual([`write "${address}", in quotes`]);
  const fixed = await fixInRounds(
    { path: "c.yaml", text },
    diagnostics,
    async (edited) => (await judge(edited)).diagnostics,
  );
  expect([fixed.diagnostics, fixed.text]).toEqual([[], text.replace(`${address} #`, `"${address}" #`)]);
});
