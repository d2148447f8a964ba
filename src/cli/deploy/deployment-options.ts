import { outputOption, textOption } from "../terminal/options.js";
import type { Options } from "../terminal/yargs.js";

/** Target and mode of a deployment: options of `subgraph deploy` and of `subgraph init --deploy`. */
export const deploymentOptions = {
  tag: { ...textOption, describe: "tags that shall point to it, separated by commas" },
  private: {
    type: "boolean",
    default: false,
    describe: "deploy it with a private endpoint, which needs a token, and without a public one",
  },
  "graph-node": {
    ...textOption,
    describe: "deploy to this graph-node instead of the API: its admin address, port 8020 mostly",
  },
  ipfs: { ...textOption, describe: "with --graph-node: the IPFS node that files are added to and pinned on" },
  "graph-node-status": {
    ...textOption,
    describe: "with --graph-node: its status address, for --wait [default: port 8030 of the same host]",
  },
  "skip-deployed": {
    type: "boolean",
    default: false,
    describe: "leave versions that are deployed already as they are, whatever they hold",
  },
  wait: {
    choices: ["none", "indexing", "synced"],
    default: "indexing",
    requiresArg: true,
    describe: "what to wait for after the deployment",
  },
  output: outputOption,
} as const satisfies Record<string, Options>;
