import { networkOptions, subgraphWord } from "../named/word-options.js";
import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import {
  cacheOption,
  formatOption,
  numberOption,
  optimizeOption,
  subgraphArgument,
  textOption,
} from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";
import { deploymentOptions } from "./deployment-options.js";

const sourceOptions = {
  path: { ...textOption, describe: "build, or project with a build [default: the current folder]" },
  "from-abi": { ...textOption, describe: "build this configuration and deploy it; - for standard input" },
  "from-ipfs-hash": { ...textOption, describe: "deploy the subgraph with this deployment id" },
  "from-url": { ...textOption, describe: "deploy the subgraph that this GraphQL endpoint serves" },
} as const satisfies Record<string, Options>;

const adjustmentOptions = {
  "ipfs-gateway": {
    ...textOption,
    default: "https://ipfs.network.thegraph.com",
    describe: "gateway that deployments are downloaded from; also the API of a graphloom server",
  },
  "from-token": {
    ...textOption,
    describe:
      "token for the server of --from-url or --ipfs-gateway [default: GRAPHLOOM_FROM_TOKEN, else the login there]",
  },
  "enable-call-handlers": {
    type: "boolean",
    default: false,
    describe: "of a configuration: also index calls to every function that changes state",
  },
  optimize: optimizeOption,
  "start-block": {
    ...numberOption,
    describe: "first block to index; with --graft-from, also the block to graft at",
  },
  "graft-from": {
    ...textOption,
    describe: "<name>/<version> to graft onto: the new version starts with its entities",
  },
  "remove-graft": {
    type: "boolean",
    default: false,
    describe: "leave out the graft that the manifest declares",
  },
  description: { ...textOption, describe: "description, at most 500 characters" },
} as const satisfies Record<string, Options>;

/** `subgraph deploy` */
export const deployCommand = command({
  name: "deploy <nameAndVersion> [subgraph]",
  describe: "Deploy a subgraph: a configuration, a hand-written one, a build or another deployment",
  positionals: {
    nameAndVersion: {
      ...subgraphArgument,
      describe: "<name>/<version>; with several chains, each is deployed as <name>-<chain>/<version>",
    },
    subgraph: {
      ...subgraphWord,
      describe:
        "what to deploy: a configuration, subgraph.yaml or its folder, build or zip of one, deployment id, endpoint, or <name>/<version> on a server; - for a configuration on standard input [default: the build in the current folder]",
    },
  },
  options: {
    ...sourceOptions,
    ...networkOptions,
    ...adjustmentOptions,
    ...deploymentOptions,
    cache: cacheOption,
    format: formatOption,
  },
  groups: {
    "What to deploy, in place of [subgraph] (one of these):": Object.keys(sourceOptions),
    "How to deploy it:": [...Object.keys(networkOptions), ...Object.keys(adjustmentOptions)],
    "Where to deploy it (default: the management API):": ["graph-node", "ipfs", "graph-node-status"],
  },
  examples: [
    ["$0 subgraph deploy pools/1.0.0 subgraph.json --tag prod", "build, deploy and tag"],
    [
      "$0 subgraph deploy pools/1.0.0 . --network sepolia",
      "build and deploy the hand-written one in this folder",
    ],
    [
      "$0 subgraph deploy pools/1.0.1 --path . --graft-from pools/1.0.0 --start-block 19000000",
      "graft onto 1.0.0 at that block",
    ],
    [
      "$0 subgraph deploy pools/1.0.0 --from-url https://old.example.com/api/private/p/subgraphs/pools/prod/gn",
      "move a subgraph from another server, if you are logged in there",
    ],
    [
      "$0 subgraph deploy pools/1.0.0 --graph-node http://127.0.0.1:8020 --ipfs http://127.0.0.1:5001",
      "deploy to your own graph-node",
    ],
  ],
  load: remotely(async () => (await import("./deploy-subgraph.js")).deploySubgraph),
});
