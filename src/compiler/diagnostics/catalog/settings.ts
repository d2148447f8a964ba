import type { CatalogEntry } from "./entry.js";

/** Codes for settings: violations of the schema, and constraints across instances and chains. */
export const settingCodes = {
  "unknown-key": {
    title: "the setting does not exist",
    explanation:
      "Settings have fixed, case-sensitive names. An unknown setting is an error, because ignoring it could hide a mistake. Use the name or the place in the hint, or remove the setting.",
    example: { wrong: `"startblock": 18400000`, right: `"startBlock": 18400000` },
  },
  "missing-key": {
    title: "a setting is missing",
    explanation:
      "The object requires this setting, which has no sensible default. Add it; the schema describes its meaning.",
    example: {
      wrong: `{ "abi": "Token", "address": "0x…", "chain": "mainnet" }`,
      right: `{ "abi": "Token", "address": "0x…", "chain": "mainnet", "startBlock": 1 }`,
    },
  },
  "wrong-type": {
    title: "a value has the wrong type",
    explanation:
      "The value is, for example, a string instead of a number, or a list instead of an object. graphloom never converts values, because a guess may be wrong. Write the value as the message says.",
    example: { wrong: `"startBlock": "18400000"`, right: `"startBlock": 18400000` },
  },
  "wrong-value": {
    title: "the setting does not allow the value",
    explanation:
      "The value has the right type, but the setting allows only certain values, such as an address of 40 hexadecimal digits. The message says which. Correct the value.",
    example: {
      wrong: `"address": "0x1234"`,
      right: `"address": "0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03"`,
    },
  },
  "wrong-name": {
    title: "a key is not a valid name",
    explanation:
      "Names of ABIs, calls and entities become part of generated code and file names, so they may contain only certain characters. The note says which. Choose another name.",
    example: { wrong: `"entities": { "my balance": { … } }`, right: `"entities": { "MyBalance": { … } }` },
  },
  "unsupported-version": {
    title: "the version of the format is not supported",
    explanation: `The setting "version" gives the format of the configuration. This graphloom supports "1", which is a string. Write that, or use a graphloom that supports the other version.`,
    example: { wrong: `"version": 1`, right: `"version": "1"` },
  },
  "empty-setting": {
    title: "a setting is empty",
    explanation:
      "An enrichment without handlers, a handler without entities or an entity without fields is allowed, but has little or no effect. Every event of the ABI is stored even without an enrichment. Add what you want to store, or remove the setting.",
    example: {
      wrong: `"handlers": {}`,
      right: `"handlers": { "Transfer(address,address,uint256)": { "entities": { … } } }`,
    },
  },
  "instance-kind": {
    title: "an instance is both a contract and a template, or neither",
    explanation: `An "address" makes an instance a single contract. A "source" makes it a template for all contracts that an event announces. Give exactly one of the two; if you need both, write two instances.`,
    example: {
      wrong: `{ "abi": "Pool", "address": "0x…", "source": { … } }`,
      right: `{ "abi": "Pool", "source": { … } }`,
    },
  },
  "duplicate-address": {
    title: "a contract has two instances",
    explanation:
      "Two instances have the same ABI, address and chain. Every event would be handled twice. Remove one of them, and merge their enrichments.",
    example: {
      wrong: `[{ "abi": "Token", "address": "0xA…" }, { "abi": "Token", "address": "0xA…" }]`,
      right: `[{ "abi": "Token", "address": "0xA…" }]`,
    },
  },
  "duplicate-template": {
    title: "an event creates the same template twice",
    explanation:
      "Two templates have the same ABI and are created by the same parameter of the same event. Every event of the new contracts would be handled twice. Remove one of them, and merge their enrichments.",
    example: {
      wrong: `two instances with "addressParam": "pool" of PoolCreated`,
      right: "one instance with it",
    },
  },
  "unknown-chain": {
    title: "the network is unknown",
    explanation:
      "graph-node finds a chain by its name, and this name is not in the public registry. graphloom uses it as it is, because it may name a private network. If you mean a public network, correct the name; otherwise, nothing will be indexed.",
    example: { wrong: `"chain": "ethereum"`, right: `"chain": "mainnet"` },
  },
  "chain-case": {
    title: "two chains differ only in case",
    explanation:
      "With several chains, each has a manifest and a build named after it. Many file systems ignore case in names, so one would overwrite the other. Network names are lower case; write the same name in all instances on the same chain.",
    example: { wrong: `"chain": "mainnet" and "chain": "Mainnet"`, right: `"chain": "mainnet" in both` },
  },
  "ignored-chain": {
    title: "a named chain has no effect",
    explanation: `The instances that have an address determine which chains are indexed. The list "chains" and the chain of a template come from an older form of the format and have no effect. Remove them, or give an instance with an address that chain.`,
    example: { wrong: `"chains": ["mainnet", "base"]`, right: `{ "address": "0x…", "chain": "base", … }` },
  },
  "template-setting": {
    title: "a template has settings without effect",
    explanation: `An event of another contract creates the contracts of a template, so they are on that contract's chain and are indexed from the block of that event. An older form of the format still had "startBlock" and "chain" beside a "source". They have no effect; remove them.`,
    example: {
      wrong: `{ "abi": "Pool", "source": { … }, "startBlock": 12369621, "chain": "mainnet" }`,
      right: `{ "abi": "Pool", "source": { … } }`,
    },
  },
  "address-checksum": {
    title: "the checksum of an address is wrong",
    explanation:
      "The capital letters in an address are a checksum that reveals typing errors. Here they do not match the digits, so a digit may be wrong. Copy the address again; an address in lower case has no checksum.",
    example: {
      wrong: `"0x9c8fF314C9Bc7F6e59A9d9225Fb22946427eDC03"`,
      right: `"0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03"`,
    },
  },
  "nothing-to-index": {
    title: "an instance has nothing to index",
    explanation:
      "The ABI has no event that can be indexed, and no function whose calls are indexed. graph-node cannot find anonymous events, because their logs do not identify the event. It also rejects a data source without handlers. Choose another ABI, enable call handlers, or remove the instance.",
    example: {
      wrong: "an ABI with view functions only",
      right: `"enableCallHandlers": true, and an ABI with functions that change state`,
    },
  },
  "unreachable-template": {
    title: "nothing creates a template",
    explanation:
      "A template is created when its source emits an event. No instance has the ABI of that source, so the event never arrives. Add an instance of that ABI with an address and a chain.",
    example: {
      wrong: `[{ "abi": "Pool", "source": { "abi": "Factory", … } }]`,
      right: `[{ "abi": "Factory", "address": "0x…", … }, { "abi": "Pool", "source": { "abi": "Factory", … } }]`,
    },
  },
} as const satisfies Record<string, CatalogEntry>;
