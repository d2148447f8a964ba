import { command } from "../terminal/command.js";
import { cacheOption, textOption } from "../terminal/options.js";
import type { Options } from "../terminal/yargs.js";

/** What is asked of the contract. */
const contractOptions = {
  abi: { ...textOption, describe: "file with its ABI: a bare one, a build artifact, an explorer's answer" },
  "contract-name": { ...textOption, describe: "which of the contracts that were built or deployed here" },
  contract: { ...textOption, describe: "its address; of a proxy, that of the proxy" },
  network: { ...textOption, describe: "chain it is on, such as mainnet [default: that of the node]" },
  "start-block": { ...textOption, describe: "block of its creation [default: found out by the node]" },
} as const satisfies Record<string, Options>;

/** Who is asked about it. */
const sourceOptions = {
  rpc: { ...textOption, describe: "node to ask [default: GRAPHLOOM_RPC_<NETWORK>]" },
  "explorer-url": {
    ...textOption,
    describe:
      "explorer's API to ask for the ABI, such as https://api.etherscan.io/v2/api [default: GRAPHLOOM_EXPLORER_URL]; its key is in GRAPHLOOM_EXPLORER_KEY",
  },
} as const satisfies Record<string, Options>;

/** What of it is indexed. */
const contentOptions = {
  "contract-events": {
    ...textOption,
    describe: "only these events: names or signatures, with commas between them",
  },
  reads: {
    ...textOption,
    describe: "contract reads that go with events: all, none, or some, such as Transfer.balanceOf",
  },
  "call-handlers": { type: "boolean", default: false, describe: "also index calls of functions" },
} as const satisfies Record<string, Options>;

const outputOptions = {
  name: { ...textOption, describe: "<name>/<version> [default: the contract's name]" },
  force: { type: "boolean", default: false, describe: "overwrite a file that is there" },
  yes: { type: "boolean", alias: "y", default: false, describe: "take what is usual without asking" },
  cache: cacheOption,
} as const satisfies Record<string, Options>;

/** `init` */
export const guideCommand = command({
  name: "init [file]",
  describe: "Lead to a configuration: find contracts, ask what is missing, write and check it",
  positionals: {
    file: { type: "string", describe: "configuration to write [default: subgraph.json]" },
  },
  options: { ...contractOptions, ...sourceOptions, ...contentOptions, ...outputOptions },
  groups: {
    "The contract:": Object.keys(contractOptions),
    "Whom to ask about it:": Object.keys(sourceOptions),
    "What of it (by default, all events):": Object.keys(contentOptions),
    "Output:": Object.keys(outputOptions),
  },
  examples: [
    ["$0 init", "asks; so does graphloom alone, at a terminal"],
    [
      "$0 init --contract-name Vault --contract 0xA0b8…eB48 --rpc https://…",
      "of what Foundry or Hardhat has built",
    ],
    [
      "$0 init pools.json --abi Pool.json --contract 0xA0b8…eB48 --network base --start-block 1 --yes",
      "asks nothing and nobody",
    ],
  ],
  load: async () => {
    const { runGuide } = await import("./guide.js");
    return (args, terminal) => runGuide({ ...args, format: "text" }, terminal);
  },
});
