import { remotely } from "../remote/remotely.js";
import {
  cacheOption,
  formatOption,
  optimizeOption,
  outputOption,
  subgraphArgument,
} from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv, Options } from "../terminal/yargs.js";
import type { DeployArguments } from "./deploy-arguments.js";

const text = { type: "string", requiresArg: true } as const satisfies Options;

/** Where to deploy to and how: options of `subgraph deploy` and of `subgraph init --deploy`. */
export const deploymentOptions = {
  tag: { ...text, describe: "tags that shall point to it, separated by commas" },
  "graph-node": {
    ...text,
    describe: "deploy to this graph-node instead of the API: its admin address, port 8020 mostly",
  },
  ipfs: { ...text, describe: "with --graph-node: the IPFS node that files are added to and pinned on" },
  "graph-node-status": {
    ...text,
    describe: "with --graph-node: its status address [default: port 8030 of the same host]",
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

/** Adds `deploy` to the group `subgraph`. */
export function addDeploy(group: Argv, terminal: Terminal, done: (code: number) => void): void {
  group.command(
    "deploy <nameAndVersion>",
    "Deploy a subgraph: from a build, a configuration, or another deployment",
    (command) =>
      command
        .positional("nameAndVersion", {
          ...subgraphArgument,
          describe: "<name>/<version>; with several chains each is deployed as <name>-<chain>/<version>",
        })
        .option("path", {
          ...text,
          describe: "a build or a project that is built [default: the current folder]",
        })
        .option("from-abi", {
          ...text,
          describe: "build this configuration and deploy it; - for standard input",
        })
        .option("from-ipfs-hash", { ...text, describe: "deploy what has this deployment id" })
        .option("from-url", { ...text, describe: "deploy what answers at this GraphQL endpoint" })
        .option("ipfs-gateway", {
          ...text,
          default: "https://ipfs.network.thegraph.com",
          describe: "where --from-ipfs-hash and --from-url get files from",
        })
        .option("enable-call-handlers", {
          type: "boolean",
          default: false,
          describe: "with --from-abi: also index calls of every function that changes state",
        })
        .option("optimize", optimizeOption)
        .option("start-block", {
          type: "number",
          requiresArg: true,
          describe: "first block to index; with --graft-from also the block to graft at",
        })
        .option("graft-from", { ...text, describe: "<name>/<version> whose entities are taken over" })
        .option("remove-graft", {
          type: "boolean",
          default: false,
          describe: "leave out the graft that the manifest asks for",
        })
        .option("description", { ...text, describe: "at most 500 characters" })
        .options(deploymentOptions)
        .option("cache", cacheOption)
        .option("format", formatOption)
        .group(["path", "from-abi", "from-ipfs-hash", "from-url"], "What (one of them):")
        .group(
          [
            "ipfs-gateway",
            "enable-call-handlers",
            "optimize",
            "start-block",
            "graft-from",
            "remove-graft",
            "description",
          ],
          "How:",
        )
        .group(["graph-node", "ipfs", "graph-node-status"], "Where (by default, the management API):")
        .example(
          "$0 subgraph deploy pools/1.0.0 --from-abi subgraph.json --tag prod",
          "build, deploy and tag",
        )
        .example(
          "$0 subgraph deploy pools/1.0.1 --path . --graft-from pools/1.0.0 --start-block 19000000",
          "go on from there",
        )
        .example(
          "$0 subgraph deploy pools/1.0.0 --graph-node http://127.0.0.1:8020 --ipfs http://127.0.0.1:5001",
          "to a node of your own",
        ),
    (args) =>
      remotely(terminal, done, async () => {
        const { deploySubgraph } = await import("./deploy-subgraph.js");
        return () => deploySubgraph(args as unknown as DeployArguments, terminal);
      }),
  );
}
