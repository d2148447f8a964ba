import { command } from "../terminal/command.js";
import { cacheOption, textOption } from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

/** Options that describe the contract. */
const contractOptions = {
  abi: {
    ...textOption,
    describe: "file with its ABI: a plain ABI, a build artifact or an explorer's answer",
  },
  "contract-name": { ...textOption, describe: "name of a contract that was built or deployed here" },
  contract: {
    ...textOption,
    describe: "its address; for a contract behind a proxy, the address of the proxy",
  },
  network: { ...textOption, describe: "chain it is on, such as mainnet [default: the chain of the node]" },
  "start-block": { ...textOption, describe: "block of its creation [default: looked up through the node]" },
} as const satisfies Record<string, Options>;

/** Options that say where to look the contract up. */
const sourceOptions = {
  rpc: { ...textOption, describe: "JSON-RPC node to look it up with [default: GRAPHLOOM_RPC_<NETWORK>]" },
  "explorer-url": {
    ...textOption,
    describe:
      "explorer API to fetch the ABI from, such as https://api.etherscan.io/v2/api [default: GRAPHLOOM_EXPLORER_URL]; set its key in GRAPHLOOM_EXPLORER_KEY",
  },
} as const satisfies Record<string, Options>;

/** Options that select what to index. */
const contentOptions = {
  "contract-events": {
    ...textOption,
    describe: "index only these events: comma-separated names or signatures",
  },
  reads: {
    ...textOption,
    describe: "contract reads to make with events: all, none, or a list such as Transfer.balanceOf",
  },
  "call-handlers": { type: "boolean", default: false, describe: "also index function calls" },
} as const satisfies Record<string, Options>;

const outputOptions = {
  name: { ...textOption, describe: "<name>/<version> [default: the contract's name]" },
  force: { type: "boolean", default: false, describe: "overwrite an existing file" },
  yes: { type: "boolean", alias: "y", default: false, describe: "accept the defaults without asking" },
  cache: cacheOption,
} as const satisfies Record<string, Options>;

/** `init` */
export const guideCommand = command({
  name: "init [file]",
  describe: "Create a configuration step by step: find contracts, ask for the rest, write and check it",
  positionals: {
    file: { type: "string", describe: "configuration to write [default: subgraph.json]" },
  },
  options: { ...contractOptions, ...sourceOptions, ...contentOptions, ...outputOptions },
  groups: {
    "The contract:": Object.keys(contractOptions),
    "Where to look it up:": Object.keys(sourceOptions),
    "What to index (by default, all events):": Object.keys(contentOptions),
    "Output:": Object.keys(outputOptions),
  },
  examples: [
    ["$0 init", "asks questions; in a terminal, graphloom alone does the same"],
    [
      "$0 init --contract-name Vault --contract 0xA0b8…eB48 --rpc https://…",
      "a contract built with Foundry or Hardhat",
    ],
    [
      "$0 init pools.json --abi Pool.json --contract 0xA0b8…eB48 --network base --start-block 1 --yes",
      "asks no questions and contacts no server",
    ],
  ],
  load: async () => {
    const { runGuide } = await import("./guide.js");
    return (args, terminal) => runGuide({ ...args, format: "text" }, terminal);
  },
});
