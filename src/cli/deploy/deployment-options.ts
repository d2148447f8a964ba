import { outputOption, textOption } from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

/** Target and mode of a deployment: options of `subgraph deploy` and of `subgraph init --deploy`. */
export const deploymentOptions = {
  tag: { ...textOption, describe: "tags to point to the version, separated by commas" },
  private: {
    type: "boolean",
    default: false,
    describe: "serve queries only at a private endpoint, which requires a token",
  },
  "graph-node": {
    ...textOption,
    describe: "deploy to this graph-node instead of the API: its admin address, usually port 8020",
  },
  ipfs: { ...textOption, describe: "with --graph-node: the IPFS node to add and pin the files on" },
  "graph-node-status": {
    ...textOption,
    describe: "with --graph-node: its status address, for --wait [default: port 8030 on the same host]",
  },
  "skip-deployed": {
    type: "boolean",
    default: false,
    describe: "leave versions that are already deployed as they are, whatever their content",
  },
  wait: {
    choices: ["none", "indexing", "synced"],
    default: "indexing",
    requiresArg: true,
    describe: "what to wait for after the deployment",
  },
  output: outputOption,
} as const satisfies Record<string, Options>;
