import type { CatalogEntry } from "./entry.js";

/** Codes for ABIs and of the entries that a configuration names. */
export const abiCodes = {
  "abi-missing": {
    title: "an ABI file does not exist",
    explanation:
      "There is no file at the path. Paths are relative to the configuration's folder, or to the working directory when the configuration comes from standard input. Correct the path, or put the file there.",
    example: { wrong: `{ "path": "./abi/Token.json" }`, right: `{ "path": "./abis/Token.json" }` },
  },
  "abi-unreadable": {
    title: "an ABI file cannot be read",
    explanation:
      "The path exists, but leads to a folder, a device, a link to itself, or a file that you may not read. graphloom reads regular files only. Name the file itself, or correct its permissions.",
    example: { wrong: `{ "path": "./abis" }`, right: `{ "path": "./abis/Token.json" }` },
  },
  "abi-too-large": {
    title: "an ABI file is too large",
    explanation:
      "Even the largest contracts have ABIs of a few megabytes. A larger file is probably the complete output of a compiler. Extract the ABI of the contract.",
    example: { wrong: `{ "path": "./build-info.json" }`, right: `{ "path": "./abis/Token.json" }` },
  },
  "not-an-abi": {
    title: "the file or value is not an ABI",
    explanation: `An ABI is a list of events and functions, or a compiler artifact with such a list under "abi". This is something else. Copy the ABI from the compiler's output or from a block explorer.`,
    example: { wrong: `"Token": "./abis/Token.json"`, right: `"Token": { "path": "./abis/Token.json" }` },
  },
  "abi-entry": {
    title: "an entry of an ABI is malformed",
    explanation:
      "A part of an event or function in the ABI is missing or has the wrong type. Compilers do not write such entries, so the file was probably edited. Copy the ABI from the compiler's output again.",
    example: {
      wrong: `{ "type": "event", "inputs": [] }`,
      right: `{ "type": "event", "name": "Paused", "inputs": [] }`,
    },
  },
  "abi-entry-type": {
    title: "an entry of an ABI has no type",
    explanation: `Every entry of an ABI has a "type"; only very early compilers omitted it, and only for functions. This entry has no type, but it has "anonymous" or "indexed", as only events do, so graphloom reads it as an event. No action is needed; add the type to be explicit.`,
    example: {
      wrong: `{ "name": "Paused", "anonymous": false, "inputs": [] }`,
      right: `{ "type": "event", "name": "Paused", "anonymous": false, "inputs": [] }`,
    },
  },
  "unknown-abi": {
    title: "no ABI with this name is declared",
    explanation: `Instances, sources and calls refer to ABIs by their keys under "abis". This name is not one of them; names are case-sensitive. Correct the name, or declare the ABI.`,
    example: { wrong: `"abi": "token"`, right: `"abi": "Token"` },
  },
  "unused-abi": {
    title: "an ABI is declared but not used",
    explanation:
      "No instance and no call names this ABI, so it is not part of the subgraph. This is harmless, but you may have forgotten an instance. Use the ABI, or remove it.",
    example: { wrong: `"abis": { "Token": { … }, "Old": { … } }`, right: `"abis": { "Token": { … } }` },
  },
  "signature-syntax": {
    title: "a signature is malformed",
    explanation:
      "A signature is a name followed by the parameter types in parentheses, with the word indexed before the type of an indexed parameter. Where it is unambiguous, the name alone is enough. Correct the marked part.",
    example: { wrong: `"Transfer(address,address"`, right: `"Transfer(address,address,uint256)"` },
  },
  "unknown-signature": {
    title: "the ABI has no entry with this signature",
    explanation:
      "The name or the parameter types differ from the ABI. graph-node finds events by exactly these, so it would index nothing. Copy the signature from the hint.",
    example: { wrong: `"Transfer(address,uint256)"`, right: `"Transfer(address,address,uint256)"` },
  },
  "ambiguous-signature": {
    title: "a signature matches several entries",
    explanation:
      "The ABI has several events or functions that this text could mean, each with its own parameters. Write the full signature.",
    example: { wrong: `"Deposit"`, right: `"Deposit(indexed address,uint256)"` },
  },
  "indexed-mismatch": {
    title: "a signature marks the wrong parameters as indexed",
    explanation:
      "The event exists, but the ABI and the signature mark different parameters as indexed. The ABI determines how the event is decoded. Write the signature from the hint, or omit the word indexed.",
    example: { wrong: `"Deposit(address,uint256)"`, right: `"Deposit(indexed address,uint256)"` },
  },
  "repeated-entry": {
    title: "an ABI lists an event or function more than once",
    explanation:
      "This is common in an ABI merged from several, and the parameter names may differ. graph-node cannot tell such entries apart, because they have the same signature and the same number of indexed parameters. graphloom keeps the first, with its parameter names. No action is needed.",
    example: {
      wrong: "event Failure(uint256 error), event Failure(uint256 code)",
      right: "event Failure(uint256 error)",
    },
  },
  "event-skipped": {
    title: "an event is not indexed",
    explanation:
      "A subgraph cannot receive or decode this event, for the reason given. The rest of the contract is indexed. No action is needed unless you need this event.",
    example: { wrong: "event Stored(uint256[][][])", right: "event Stored(uint256[][])" },
  },
  "function-skipped": {
    title: "calls of a function are not indexed",
    explanation:
      "graphloom cannot generate code for this function, for the reason given. The rest of the contract is indexed. No action is needed unless you need its calls.",
    example: { wrong: "function store(uint256[][][])", right: "function store(uint256[][])" },
  },
  "event-not-deliverable": {
    title: "graph-node cannot deliver an event",
    explanation:
      "graph-node cannot deliver this event to a subgraph, for the reason given. The logs of an anonymous event, for example, do not contain its signature. Choose another event, or remove the handler.",
    example: { wrong: "event Log(bytes32) anonymous", right: "event Log(bytes32)" },
  },
  "parameter-not-address": {
    title: "a parameter is not an address",
    explanation: `A template needs an address, which it takes from the event parameter named by "addressParam". This parameter has a different type. Name one of the event's address parameters.`,
    example: { wrong: `"addressParam": "fee"`, right: `"addressParam": "pool"` },
  },
} as const satisfies Record<string, CatalogEntry>;
