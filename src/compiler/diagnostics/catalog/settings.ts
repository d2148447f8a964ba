import type { CatalogEntry } from "./entry.js";

/** Codes of settings: violations of the schema, and constraints across instances and chains. */
export const settingCodes = {
  "unknown-key": {
    title: "there is no setting of that name",
    explanation:
      "Settings have fixed names, and case counts. An unknown one would be ignored, and what you meant by it would not happen, so it is an error. Use the name or the place in the hint, or remove the setting.",
    example: { wrong: `"startblock": 18400000`, right: `"startBlock": 18400000` },
  },
  "missing-key": {
    title: "a setting is missing",
    explanation:
      "This object cannot do without the setting. There is no default that would be right for everybody. Add it; the schema describes what it means.",
    example: {
      wrong: `{ "abi": "Token", "address": "0x…", "chain": "mainnet" }`,
      right: `{ "abi": "Token", "address": "0x…", "chain": "mainnet", "startBlock": 1 }`,
    },
  },
  "wrong-type": {
    title: "a value is of the wrong type",
    explanation:
      "A text stands where a number belongs, or a list where an object does, and so on. Values are never converted, because a guess may be wrong. Write the value as the message says.",
    example: { wrong: `"startBlock": "18400000"`, right: `"startBlock": 18400000` },
  },
  "wrong-value": {
    title: "a value is not one the setting takes",
    explanation:
      "The value has the right type, but the setting allows only certain ones, such as an address of 40 hexadecimal digits. The message says which. Correct the value.",
    example: {
      wrong: `"address": "0x1234"`,
      right: `"address": "0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03"`,
    },
  },
  "wrong-name": {
    title: "a key is not a name that can be used",
    explanation:
      "Names of ABIs, calls and entities end up in generated code and in file names. So they may hold certain characters only; the note says which. Choose another name.",
    example: { wrong: `"entities": { "my balance": { … } }`, right: `"entities": { "MyBalance": { … } }` },
  },
  "unsupported-version": {
    title: "this version of the format is not known",
    explanation: `The setting "version" says which format the configuration is written in. This graphloom knows "1", a text. Write that, or use a graphloom that knows the other version.`,
    example: { wrong: `"version": 1`, right: `"version": "1"` },
  },
  "empty-setting": {
    title: "a setting that says nothing",
    explanation:
      "An enrichment without handlers, a handler without entities and an entity without fields are allowed, but less happens than they seem to promise. Every event of the ABI is stored without any of them. Write into it what you want to keep, or remove it.",
    example: {
      wrong: `"handlers": {}`,
      right: `"handlers": { "Transfer(address,address,uint256)": { "entities": { … } } }`,
    },
  },
  "instance-kind": {
    title: "an instance is a contract or a template, one of both",
    explanation: `An "address" makes an instance one contract. A "source" makes it a template for all contracts that an event announces. Give exactly one of them; for both, write two instances.`,
    example: {
      wrong: `{ "abi": "Pool", "address": "0x…", "source": { … } }`,
      right: `{ "abi": "Pool", "source": { … } }`,
    },
  },
  "duplicate-address": {
    title: "a contract has two instances",
    explanation:
      "Two instances have the same ABI, address and chain. Every event would be handled twice. Remove one of them, and merge what they enrich.",
    example: {
      wrong: `[{ "abi": "Token", "address": "0xA…" }, { "abi": "Token", "address": "0xA…" }]`,
      right: `[{ "abi": "Token", "address": "0xA…" }]`,
    },
  },
  "duplicate-template": {
    title: "an event creates the same template twice",
    explanation:
      "Two templates have the same ABI and are created by the same parameter of the same event. Every event of the new contracts would be handled twice. Remove one of them, and merge what they enrich.",
    example: {
      wrong: `two instances with "addressParam": "pool" of PoolCreated`,
      right: "one instance with it",
    },
  },
  "unknown-chain": {
    title: "no network of that name is known",
    explanation:
      "graph-node finds a chain by its name, and this is none of the names in the public registry. The name is used as it is, because private networks have names of their own. When a public network is meant, correct it: otherwise nothing will be indexed.",
    example: { wrong: `"chain": "ethereum"`, right: `"chain": "mainnet"` },
  },
  "chain-case": {
    title: "two chains differ in case only",
    explanation:
      "With several chains, each has a manifest and a build named after it. Many file systems take names that differ in case only for the same, so one of them would replace the other. Networks are written in lower case; write the same name in all instances that are on the same chain.",
    example: { wrong: `"chain": "mainnet" and "chain": "Mainnet"`, right: `"chain": "mainnet" in both` },
  },
  "ignored-chain": {
    title: "a chain is named that has no effect",
    explanation: `Which chains are indexed follows from the instances that have an address. The list "chains" and the chain of a template come from an older form of the format and change nothing. Remove them, or give an instance with an address that chain.`,
    example: { wrong: `"chains": ["mainnet", "base"]`, right: `{ "address": "0x…", "chain": "base", … }` },
  },
  "template-setting": {
    title: "a template has settings that mean nothing",
    explanation: `A template is made by an event of another contract: it is on that contract's chain, and indexed from the block of that event on. An older form of the format had "startBlock" and "chain" beside a "source" all the same. They change nothing, so remove them.`,
    example: {
      wrong: `{ "abi": "Pool", "source": { … }, "startBlock": 12369621, "chain": "mainnet" }`,
      right: `{ "abi": "Pool", "source": { … } }`,
    },
  },
  "address-checksum": {
    title: "the checksum of an address is wrong",
    explanation:
      "Capital letters in an address are a checksum that reveals slips. Here they do not fit the digits, so a digit may be wrong. Copy the address again; an address all in lower case has no checksum.",
    example: {
      wrong: `"0x9c8fF314C9Bc7F6e59A9d9225Fb22946427eDC03"`,
      right: `"0x9C8fF314C9Bc7F6e59A9d9225Fb22946427eDC03"`,
    },
  },
  "nothing-to-index": {
    title: "an instance has nothing to index",
    explanation:
      "The ABI has no event that can be indexed, and no function whose calls are. The logs of anonymous events do not say which event they are, so that graph-node cannot find them. A data source without handlers is refused by graph-node. Choose another ABI, enable call handlers, or remove the instance.",
    example: {
      wrong: "an ABI of view functions only",
      right: `"enableCallHandlers": true, and an ABI with functions that change state`,
    },
  },
  "unreachable-template": {
    title: "nothing creates a template",
    explanation:
      "A template is created when its source emits an event. No instance has the ABI of that source, so the event is never seen. Add an instance of it with an address and a chain.",
    example: {
      wrong: `[{ "abi": "Pool", "source": { "abi": "Factory", … } }]`,
      right: `[{ "abi": "Factory", "address": "0x…", … }, { "abi": "Pool", "source": { "abi": "Factory", … } }]`,
    },
  },
} as const satisfies Record<string, CatalogEntry>;
