import type { CatalogEntry } from "./entry.js";

/** Codes of ABIs and of what a configuration names in them. */
export const abiCodes = {
  "abi-missing": {
    title: "an ABI file does not exist",
    explanation:
      "The path leads to no file. It is seen from the folder of the configuration, or from the working directory when that comes from standard input. Correct the path, or put the file there.",
    example: { wrong: `{ "path": "./abi/Token.json" }`, right: `{ "path": "./abis/Token.json" }` },
  },
  "abi-unreadable": {
    title: "an ABI file cannot be read",
    explanation:
      "Something is at the path, but it is a folder, a device, a link that leads back to itself, or a file without permission to read. Only ordinary files are read. Name the file itself, or correct its permissions.",
    example: { wrong: `{ "path": "./abis" }`, right: `{ "path": "./abis/Token.json" }` },
  },
  "abi-too-large": {
    title: "an ABI file is too large",
    explanation:
      "Even the largest contracts have ABIs of a few megabytes. A file beyond the limit is probably a compiler's whole output. Take the ABI of the one contract out of it.",
    example: { wrong: `{ "path": "./build-info.json" }`, right: `{ "path": "./abis/Token.json" }` },
  },
  "not-an-abi": {
    title: "this is not an ABI",
    explanation: `An ABI is a list of events and functions, or an artifact of a compiler that has such a list under "abi". Something else was found. Take the ABI from the compiler's output or from a block explorer.`,
    example: { wrong: `"Token": "./abis/Token.json"`, right: `"Token": { "path": "./abis/Token.json" }` },
  },
  "abi-entry": {
    title: "an entry of an ABI cannot be understood",
    explanation:
      "An event or function in the ABI has a part that is missing or of the wrong kind. Compilers do not write such entries; usually the file was edited. Take the ABI from the compiler's output again.",
    example: {
      wrong: `{ "type": "event", "inputs": [] }`,
      right: `{ "type": "event", "name": "Paused", "inputs": [] }`,
    },
  },
  "abi-entry-type": {
    title: "an entry of an ABI does not say what it is",
    explanation: `Every entry of an ABI has a "type", which only very early compilers left out for functions. This one has none, but says "anonymous" or "indexed", which only events do, so that it is read as an event. Nothing needs to be done; add the type to be clear.`,
    example: {
      wrong: `{ "name": "Paused", "anonymous": false, "inputs": [] }`,
      right: `{ "type": "event", "name": "Paused", "anonymous": false, "inputs": [] }`,
    },
  },
  "unknown-abi": {
    title: "no ABI of that name is declared",
    explanation: `Instances, sources and calls name ABIs by their keys under "abis". This name is not among them; case counts. Correct the name, or declare the ABI.`,
    example: { wrong: `"abi": "token"`, right: `"abi": "Token"` },
  },
  "unused-abi": {
    title: "an ABI is declared but not used",
    explanation:
      "No instance and no call names this ABI, so it is not part of the subgraph. That does no harm, but may mean that an instance was forgotten. Use it, or remove it.",
    example: { wrong: `"abis": { "Token": { … }, "Old": { … } }`, right: `"abis": { "Token": { … } }` },
  },
  "signature-syntax": {
    title: "a signature cannot be read",
    explanation:
      "A signature is a name and the types of the parameters in parentheses. It is written as in the ABI, with indexed before the type of an indexed parameter, or as the name alone. Correct what is marked.",
    example: { wrong: `"Transfer(address,address"`, right: `"Transfer(address,address,uint256)"` },
  },
  "unknown-signature": {
    title: "the ABI has nothing of that signature",
    explanation:
      "The name or the types of the parameters differ from what the ABI says. graph-node finds events by exactly these, so nothing would be indexed. Copy the signature in the hint.",
    example: { wrong: `"Transfer(address,uint256)"`, right: `"Transfer(address,address,uint256)"` },
  },
  "ambiguous-signature": {
    title: "a signature fits several entries",
    explanation:
      "The ABI has several events or functions that this text may mean. One of them must be chosen, because each has parameters of its own. Write the full signature.",
    example: { wrong: `"Deposit"`, right: `"Deposit(indexed address,uint256)"` },
  },
  "indexed-mismatch": {
    title: "other parameters are indexed",
    explanation:
      "The event exists, but the ABI says indexed of other parameters than the signature does. The ABI decides how the event is decoded. Write the signature in the hint, or leave out indexed altogether.",
    example: { wrong: `"Deposit(address,uint256)"`, right: `"Deposit(indexed address,uint256)"` },
  },
  "repeated-entry": {
    title: "an ABI lists an event or function more than once",
    explanation:
      "ABIs that were merged of several often do, also with other names of the parameters. graph-node cannot tell such entries apart: the signature is the same, and as many parameters are indexed. So they are one, and the first counts, with its names. Nothing needs to be done.",
    example: {
      wrong: "event Failure(uint256 error), event Failure(uint256 code)",
      right: "event Failure(uint256 error)",
    },
  },
  "event-skipped": {
    title: "an event is not indexed",
    explanation:
      "The event cannot be received or decoded by a subgraph, for the reason given. Everything else of the contract is indexed. Nothing needs to be done unless you need this event.",
    example: { wrong: "event Stored(uint256[][][])", right: "event Stored(uint256[][])" },
  },
  "function-skipped": {
    title: "calls of a function are not indexed",
    explanation:
      "No code can be generated for this function, for the reason given. Everything else of the contract is indexed. Nothing needs to be done unless you need its calls.",
    example: { wrong: "function store(uint256[][][])", right: "function store(uint256[][])" },
  },
  "event-not-deliverable": {
    title: "an event cannot be listened to",
    explanation:
      "You ask for an event that graph-node cannot deliver to a subgraph, for the reason given. An anonymous event, for example, has no signature to find it by. Choose another event, or remove the handler.",
    example: { wrong: "event Log(bytes32) anonymous", right: "event Log(bytes32)" },
  },
  "parameter-not-address": {
    title: "a parameter is not an address",
    explanation: `A template is created for an address, which "addressParam" takes from the event. This parameter has another type. Name one of the event's address parameters.`,
    example: { wrong: `"addressParam": "fee"`, right: `"addressParam": "pool"` },
  },
} as const satisfies Record<string, CatalogEntry>;
