import { address, factory, files, type Mistake, pool } from "./project.js";

const { address: _, ...unplaced } = (pool().instances as readonly Record<string, unknown>[])[0] ?? {};
const withWords = (words: object): Mistake["config"] => ({
  ...pool(),
  instances: [{ ...unplaced, ...words }],
});
const at = { address };

/** Settings with wrong names, in wrong places, and with values that other tools accept. */
export const settings: readonly Mistake[] = [
  { name: "a chain by its full name", config: pool({ chain: "ethereum-mainnet" }), next: "fix" },
  { name: "a chain as people call it", config: pool({ chain: "polygon-mainnet" }), next: "fix" },
  { name: "a chain by its number", config: pool({ chain: 137 }), next: "fix" },
  { name: "network", config: withWords({ ...at, chain: undefined, network: "mainnet" }), next: "fix" },
  { name: "contractAddress", config: withWords({ contractAddress: address }), next: "fix" },
  { name: "fromBlock", config: withWords({ ...at, startBlock: undefined, fromBlock: 5 }), next: "fix" },
  { name: "contract for abi", config: withWords({ ...at, abi: undefined, contract: "Pool" }), next: "fix" },
  { name: "callHandlers", config: { ...pool(), callHandlers: true }, next: "fix" },
  {
    name: "dataSources",
    config: { ...pool(), instances: undefined, dataSources: pool().instances },
    next: "fix",
  },
  { name: "a version without quotes", config: pool({}, { version: 1 }), next: "fix" },
  { name: "a block in quotes", config: pool({ startBlock: "12369621" }), next: "fix" },
  {
    name: "no version",
    config: pool({}, { version: undefined }),
    next: "fix",
  },
  { name: "an address without 0x", config: pool({ address: address.slice(2) }), next: "fix" },
  { name: "an address with 0X", config: pool({ address: address.replace("0x", "0X") }), next: "fix" },
  {
    name: "no chain",
    config: pool({ chain: undefined }),
    next: [['"startBlock": 12369621', '"startBlock": 12369621, "chain": "mainnet"']],
  },
  {
    name: "no ABI",
    config: pool({ abi: undefined }),
    next: [['"startBlock": 12369621', '"startBlock": 12369621, "abi": "Pool"']],
  },
  {
    name: "a name with a space",
    config: pool({}, { name: "My Pools" }),
    next: [['"My Pools"', '"My-Pools"']],
  },
  {
    name: "a name with a version and a sign",
    config: pool({}, { name: "@acme/pools" }),
    next: [['"@acme/pools"', '"acme/pools"']],
  },
  { name: "an ABI by its case", config: pool({ abi: "pool" }), next: "fix" },
  {
    name: "an ABI's file under another word",
    config: pool({}, { abis: { Pool: { file: "./abis/Pool.json" } } }),
    next: "fix",
  },
  {
    name: "an ABI's file in the wrong folder",
    config: pool({}, { abis: { Pool: { path: "./Pool.json" } } }),
    next: "fix",
  },
  {
    name: "the ABI of a template's source under another word",
    config: factory({ eventSignature: undefined, event: "PoolCreated" }),
    next: "fix",
  },
  {
    name: "a template's parameter as an expression",
    config: factory({ addressParam: "event.params.pool" }),
    next: "fix",
  },
  {
    name: "a template's parameter that is none",
    config: factory({ addressParam: "newPool" }),
    next: [['"newPool"', '"pool"']],
  },
  { name: "a slip in a template's event", config: factory({ eventSignature: "PoolCreate" }), next: "fix" },
  {
    name: "a template made by its own ABI",
    config: factory({ abi: "Pool" }),
    next: [['"abi": "Pool",\n        "eventSignature"', '"abi": "Factory",\n        "eventSignature"']],
  },
  {
    name: "a template made by an event of its own",
    config: factory({ abi: "Pool", eventSignature: "Swap", addressParam: "recipient" }),
    next: [
      [
        '"abi": "Pool",\n        "eventSignature": "Swap"',
        '"abi": "Factory",\n        "eventSignature": "PoolCreated"',
      ],
      ['"recipient"', '"pool"'],
    ],
  },
  {
    name: "smart quotes",
    config: JSON.stringify(pool(), null, 2).replace('"version"', "“version”"),
    next: [["“version”", '"version"']],
  },
  {
    name: "smart quotes around a value",
    config: JSON.stringify(pool(), null, 2).replace('"mainnet"', "“mainnet”"),
    next: [["“mainnet”", '"mainnet"']],
  },
  {
    name: "a missing comma",
    config: JSON.stringify(pool(), null, 2).replace('"version": "1",', '"version": "1"'),
    next: [['"version": "1"', '"version": "1",']],
  },
  {
    name: "an ABI that is not declared",
    config: pool({ abi: "ERC20" }, { abis: files("Pool") }),
    next: [['"Pool": {', '"ERC20": { "path": "./abis/ERC20.json" },\n"Pool": {']],
    leaves: ["unused-abi"],
  },
];
