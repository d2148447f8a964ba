import { deploymentOptions } from "../deploy/deployment-options.js";
import { command } from "../terminal/command.js";
import {
  buildOption,
  cacheOption,
  forceOption,
  formatOption,
  optimizeOption,
  textOption,
} from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

/** Options that make up a configuration: comma-separated lists with one entry, or one per contract. */
const contractOptions = {
  abi: {
    ...textOption,
    describe: "file with the contract's ABI: a plain ABI, a build artifact or an explorer's answer",
  },
  contract: { ...textOption, describe: "address of the contract, or several separated by commas" },
  network: { ...textOption, describe: "chain the contract is on, such as mainnet" },
  "start-block": { ...textOption, describe: "block of the contract's creation [default: 0]" },
  "contract-name": { ...textOption, describe: "name of the contract [default: the name of its ABI file]" },
} as const satisfies Record<string, Options>;

/** Options that select what to index: comma-separated lists that apply to all contracts. */
const selectionOptions = {
  "contract-events": {
    ...textOption,
    describe: "index only these events: comma-separated names or signatures",
  },
  "contract-calls": { ...textOption, describe: "also index calls of these functions only" },
} as const satisfies Record<string, Options>;

const outputOptions = {
  "target-path": { ...textOption, describe: "folder to write to [default: the subgraph's name]" },
  build: buildOption,
  optimize: optimizeOption,
  force: forceOption,
  cache: cacheOption,
  format: formatOption,
} as const satisfies Record<string, Options>;

/** `subgraph init` */
export const initCommand = command({
  name: "init [nameAndVersion]",
  describe: "Generate a subgraph from a configuration, or from a contract's ABI and address",
  positionals: {
    nameAndVersion: {
      type: "string",
      describe: "<name> or <name>/<version>; overrides the name in the configuration",
    },
  },
  options: {
    "from-config": { ...textOption, describe: "configuration: JSON, JSON5 or YAML; - for standard input" },
    ...contractOptions,
    ...selectionOptions,
    "call-handlers": {
      type: "boolean",
      default: false,
      describe: "also index calls of all functions that change state; works with --from-config, too",
    },
    description: { ...textOption, describe: "description of the subgraph, at most 500 characters" },
    ...outputOptions,
    deploy: {
      type: "boolean",
      default: false,
      describe: "build the subgraph and deploy it through the management API, or to a graph-node",
    },
    ...deploymentOptions,
  },
  groups: {
    "From a configuration:": ["from-config"],
    "From contracts (comma-separated lists, with one entry for all contracts or one for each):":
      Object.keys(contractOptions),
    "What to index (by default, all events):": [...Object.keys(selectionOptions), "call-handlers"],
    "Output:": ["description", ...Object.keys(outputOptions)],
    "Deployment:": ["deploy", ...Object.keys(deploymentOptions)],
  },
  examples: [
    ["$0 subgraph init pools/1.0.0 --from-config subgraph.json --build", "into the folder pools/"],
    ["$0 subgraph init --from-config subgraph.yaml --target-path out --force", "regenerate after a change"],
    ["$0 subgraph init pools/1.0.0 --from-config subgraph.json --deploy --tag prod", "generate and deploy"],
    [
      "$0 subgraph init token/1.0.0 --abi Token.json --contract 0xA0b8…eB48 --network mainnet --start-block 6082465",
      "generates the configuration, too",
    ],
  ],
  load: async () => (await import("./init-subgraph.js")).initSubgraph,
});
