import { command } from "../terminal/command.js";
import { cacheOption, formatOption, textOption, watchOption } from "../terminal/usage/options.js";

/** The positional argument of commands that take a manifest. */
const manifestArgument = {
  type: "string",
  default: "subgraph.yaml",
  describe: "manifest, or the folder that it is in",
} as const;

const shared = {
  "skip-migrations": {
    type: "boolean",
    default: false,
    describe: "leave old versions in the manifest as they are",
  },
  ipfs: {
    ...textOption,
    alias: "i",
    describe: "IPFS gateway with the schemas of subgraphs that are sources: the address before /ipfs/",
  },
  watch: {
    ...watchOption,
    alias: "w",
    describe: "run again whenever a file of the subgraph changes, until interrupted",
  },
  format: formatOption,
} as const;

export const codegenCommand = command({
  name: "codegen [manifest]",
  describe: "Generate the types of a hand-written subgraph, as graph codegen does",
  positionals: { manifest: manifestArgument },
  options: {
    "output-dir": {
      ...textOption,
      alias: "o",
      describe: "folder of the types [default: the one that the mappings import from, or generated]",
    },
    ...shared,
  },
  examples: [
    ["$0 codegen", "generate the types of the subgraph in this folder"],
    ["$0 codegen subgraph.yaml --output-dir src/types", "write them to another folder"],
  ],
  load: async () => (await import("./build-subgraph.js")).generateTypes,
});

export const buildCommand = command({
  name: "build [manifest]",
  describe: "Build a hand-written subgraph, as graph codegen and graph build do",
  positionals: { manifest: manifestArgument },
  options: {
    "output-dir": { ...textOption, alias: "o", default: "build", describe: "folder of the build" },
    types: {
      ...textOption,
      describe: "folder of the types [default: the one that the mappings import from, or generated]",
    },
    network: {
      ...textOption,
      describe: "write addresses and start blocks of a network into the manifest, as graph build does",
    },
    "network-file": {
      ...textOption,
      default: "networks.json",
      describe: "file with the addresses and start blocks of each network",
    },
    optimize: {
      choices: ["fast", "full"],
      default: "full",
      requiresArg: true,
      describe:
        "how much to optimise the WASM: full produces the same bytes as graph build; fast takes less than half the time, for edits",
    },
    ...shared,
    cache: cacheOption,
  },
  examples: [
    ["$0 build", "build the subgraph in this folder"],
    ["$0 build --network sepolia", "with the addresses that networks.json has for Sepolia"],
    ["$0 build --watch", "build again after every edit"],
  ],
  load: async () => (await import("./build-subgraph.js")).buildSubgraph,
});
