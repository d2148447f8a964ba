import { event, fn, struct } from "../abi/entries.js";
import { address, vault, withHandlers } from "./harness.js";

import type { Case } from "./resolve-cases.js";

const data = { abi: "Vault", address, startBlock: 1, chain: "mainnet" };
const project = (instances: readonly object[], abis: object, more: object = {}): Case["files"] => ({
  "c.json": JSON.stringify({ version: "1", ...more, abis, instances }, null, 1),
});
const template = (source: object, abi = "Vault"): object => ({
  abi,
  source: { abi: "Vault", eventSignature: "Created", addressParam: "vault", ...source },
});
const vaults = (...instances: readonly object[]): Case["files"] =>
  project([data, ...instances], { Vault: vault });

const indexedStruct = event("Packed", { ...struct("order", ["address maker"]), indexed: true });
const anonymous = { ...event("Anon", "address who"), anonymous: true };
const deep = event("Deep", "uint256[][][] cube");

export const instanceCases: readonly Case[] = [
  // Handlers
  {
    name: "an unknown event",
    files: withHandlers({ Deposited: {} }),
    want: ['error unknown-signature 7:2 "Deposited"'],
  },
  {
    name: "an event with different parameters",
    files: withHandlers({ "Deposit(address)": {} }),
    want: ['error unknown-signature 7:2 "Deposit(address)"'],
  },
  {
    name: "the name of two events",
    files: withHandlers({ Moved: {} }),
    want: ['error ambiguous-signature 7:2 "Moved"'],
  },
  {
    name: "an event with different indexed parameters",
    files: withHandlers({ "Deposit(indexed address,indexed uint256)": {} }),
    want: ['error indexed-mismatch 7:2 "Deposit(indexed address,indexed uint256)"'],
  },
  {
    name: "a handler without a signature",
    files: withHandlers({ "Deposit(address": {} }),
    want: ["error signature-syntax 7:18 "],
  },
  {
    name: "two handlers of one event",
    files: withHandlers({ Deposit: {}, "Deposit(address,uint)": {} }),
    want: ['error duplicate-handler 7:28 "Deposit(address,uint)"'],
  },
  {
    name: "a function without call handlers",
    files: withHandlers({ "poke(uint256)": {} }),
    want: ['error calls-not-enabled 7:2 "poke(uint256)"'],
  },
  {
    name: "a function that changes nothing",
    files: withHandlers({ "total()": {} }, { top: ' "enableCallHandlers": true,' }),
    want: ['error function-never-triggers 7:2 "total()"'],
  },
  {
    name: "a handler of an event that cannot be delivered",
    files: project([{ ...data, enrich: { handlers: { Anon: { entities: {} } } } }], {
      Vault: [anonymous, ...vault],
    }),
    want: ['error event-not-deliverable 385:6 "Anon"'],
  },
  // Instances
  {
    name: "events that cannot be delivered",
    files: project([data], { Vault: [anonymous, indexedStruct, ...vault] }),
    want: ['warning event-skipped 4:3 "Vault"', 'warning event-skipped 4:3 "Vault"'],
  },
  {
    name: "an event that cannot be bound",
    files: project([data], { Vault: [deep, ...vault] }),
    want: ['warning event-skipped 4:3 "Vault"'],
  },
  {
    name: "a function that cannot be bound",
    files: project(
      [data],
      { Vault: [fn("poke", "nonpayable", ["uint256[][][] cube"]), ...vault] },
      { enableCallHandlers: true },
    ),
    want: ['warning function-skipped 5:3 "Vault"'],
  },
  {
    name: "a call that cannot be bound",
    files: project(
      [{ ...data, enrich: { handlers: { Deposit: { calls: { x: { name: "cube" } }, entities: {} } } } }],
      {
        Vault: [fn("cube", "view", [], ["uint256[][][] cube"]), ...vault],
      },
    ),
    want: ['error function-not-callable 389:17 "cube"'],
  },
  {
    name: "an ABI without events",
    files: project([data], { Vault: [fn("poke", "nonpayable")] }),
    want: ['error nothing-to-index 16:11 "Vault"'],
  },
  {
    name: "an empty ABI",
    files: project([data], { Vault: [] }, { enableCallHandlers: true }),
    want: ['error nothing-to-index 9:11 "Vault"'],
  },
  {
    name: "an ABI whose only event cannot be bound",
    files: project([data], { Vault: [deep] }),
    want: ['warning event-skipped 4:3 "Vault"', 'error nothing-to-index 19:11 "Vault"'],
  },
  // Templates
  {
    name: "a template of an unknown event",
    files: vaults(template({ eventSignature: "Create" })),
    want: ['error unknown-signature 377:23 "Create"'],
  },
  {
    name: "a template without its parameter",
    files: vaults(template({ addressParam: "vaults" })),
    want: ['error unknown-parameter 378:21 "vaults"'],
  },
  {
    name: "a template whose address is a number",
    files: vaults(template({ addressParam: "kind" })),
    want: ['error parameter-not-address 378:21 "kind"'],
  },
  {
    name: "a template of an event that cannot be delivered",
    files: project([data, template({ eventSignature: "Anon", addressParam: "who" })], {
      Vault: [anonymous, ...vault],
    }),
    want: ['warning event-skipped 4:3 "Vault"', 'error event-not-deliverable 388:23 "Anon"'],
  },
  {
    name: "a template that nothing creates",
    files: project([{ ...data, abi: "B" }, template({})], { Vault: vault, B: [event("B")] }),
    want: ['error unreachable-template 383:12 "Vault"'],
  },
  // Entity types
  {
    name: "events of one name with different parameters",
    files: project(
      [
        { ...data, abi: "A" },
        { ...data, abi: "B" },
      ],
      { A: [event("E", "address who")], B: [event("E", "uint256 what")] },
    ),
    want: ['note entity-renamed 4:3 "A"', 'note entity-renamed 16:3 "B"'],
  },
  {
    name: "an event with a name that is taken",
    files: project([{ ...data, abi: "A" }], { A: [event("Query")] }),
    want: ['note entity-renamed 4:3 "A"'],
  },
  {
    name: "parameters with names that are taken",
    files: project([{ ...data, abi: "A" }], { A: [event("E", "address id", "uint256 timestamp")] }),
    want: ['note field-renamed 4:3 "A"', 'note field-renamed 4:3 "A"'],
  },
];
