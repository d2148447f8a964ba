import { event } from "../abi/entries.js";
import { address } from "./harness.js";
import type { Case } from "./resolve-cases.js";

const data = { abi: "A", address, startBlock: 1, chain: "mainnet" };
const template = { abi: "A", source: { abi: "A", eventSignature: "E", addressParam: "who" } };
const abi = [event("E", "address who")];
const config = (changes: object): Case["files"] => ({
  "c.json": JSON.stringify({ version: "1", abis: { A: abi }, instances: [data], ...changes }, null, 1),
});
const instance = (changes: object): Case["files"] => config({ instances: [{ ...data, ...changes }] });
const enrich = (handler: object): Case["files"] =>
  instance({ enrich: { handlers: { E: { entities: {}, ...handler } } } });

export const validateCases: readonly Case[] = [
  { name: "a different version", files: config({ version: 1 }), want: ["error unsupported-version 2:13 1"] },
  {
    name: "a key that is misspelt",
    files: instance({ enrichments: {} }),
    want: ['error unknown-key 23:4 "enrichments"'],
  },
  { name: "no version", files: config({ version: undefined }), want: ["error missing-key 1:1 {"] },
  {
    name: "neither address nor source",
    files: instance({ address: undefined }),
    want: ["error instance-kind 18:3 {"],
  },
  {
    name: "both address and source",
    files: instance({ source: template.source }),
    want: ['error instance-kind 23:4 "source"'],
  },
  { name: "a wrong type", files: instance({ startBlock: "1" }), want: ['error wrong-type 21:18 "1"'] },
  { name: "a wrong value", files: instance({ address: "0x1" }), want: ['error wrong-value 20:15 "0x1"'] },
  {
    name: "a wrong name",
    files: enrich({ calls: { "a-b": { name: "x" } } }),
    want: ["error wrong-name 28:10 -"],
  },
  {
    name: "a field without type",
    files: enrich({ entities: { B: { b: "event.address" } } }),
    want: ['error field-key 28:9 "b"'],
  },
  { name: "an unknown ABI", files: instance({ abi: "B" }), want: ['error unknown-abi 19:11 "B"'] },
  {
    name: "an unknown ABI of a call",
    files: enrich({ calls: { x: { abi: "a", name: "x" } } }),
    want: ['error unknown-abi 29:16 "a"'],
  },
  {
    name: "an unknown chain",
    files: instance({ chain: "ethereum" }),
    want: ['warning unknown-chain 22:13 "ethereum"'],
  },
  {
    name: "the same address twice",
    files: config({ instances: [data, data] }),
    want: ['error duplicate-address 26:15 "0x00000000000000000000000000000000000000a1"'],
  },
  {
    name: "the same template twice",
    files: config({ instances: [data, template, template] }),
    want: ['error duplicate-template 36:23 "E"'],
  },
  {
    name: "listed chains without instances",
    files: config({ chains: ["mainnet", "base"] }),
    want: ['warning ignored-chain 27:3 "base"'],
  },
  {
    name: "chains that are not listed",
    files: config({ chains: [] }),
    want: ["warning ignored-chain 25:12 []"],
  },
  {
    name: "a template's chain",
    files: config({ instances: [data, { ...template, chain: "base", startBlock: 1 }] }),
    want: ['warning ignored-chain 31:13 "base"', 'note template-setting 32:4 "startBlock"'],
  },
  {
    name: "an unused ABI",
    files: config({ abis: { A: abi, B: abi } }),
    want: ['warning unused-abi 16:3 "B"'],
  },
  {
    name: "a wrong checksum",
    files: instance({ address: "0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" }),
    want: ['warning address-checksum 20:15 "0xA0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"'],
  },
  {
    name: "an invalid ABI entry",
    files: config({ abis: { A: [...abi, { type: "event" }] } }),
    want: ['error abi-entry 15:4 {\n    "type": "event"\n   }'],
  },
  {
    name: "several mistakes together, in source order",
    files: config({
      enableCallHandler: true,
      abis: { A: [{ type: "event", name: "" }, ...abi] },
      instances: [
        { ...data, startblock: 1, abi: "B" },
        { ...data, address: "0x1", chain: "" },
        { ...data, abi: "C" },
      ],
    }),
    want: [
      'error abi-entry 5:4 {\n    "type": "event",\n    "name": ""\n   }',
      'error unknown-abi 23:11 "B"',
      'error unknown-key 27:4 "startblock"',
      'error wrong-value 31:15 "0x1"',
      'error wrong-value 33:13 ""',
      'error unknown-abi 36:11 "C"',
      'error unknown-key 42:2 "enableCallHandler"',
    ],
  },
];
