import { networkOptions, subgraphWord } from "../named/word-options.js";
import { doorOptions } from "../serve/door-arguments.js";
import { command } from "../terminal/command.js";
import {
  archiveOption,
  cacheOption,
  chainNodesOption,
  gatewayOptions,
  numberOption,
  proofsOption,
  sourceOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/usage/options.js";

export const devCommand = command({
  name: "dev [subgraph]",
  describe: "Index a subgraph, answer queries to it, and follow every edit",
  positionals: {
    subgraph: {
      ...subgraphWord,
      describe:
        "configuration, subgraph.yaml or its folder, build or zip of one, deployment id, or <name>/<version> on a server [default: subgraph.json, else subgraph.yaml; with --demo, the shipped one]",
    },
  },
  options: {
    rpc: chainNodesOption,
    source: sourceOption,
    with: {
      ...textsOption,
      describe:
        "another subgraph that this one has as a source (kind: subgraph), in any of the same forms; may be repeated",
    },
    demo: {
      type: "boolean",
      default: false,
      describe: "replay a recorded chain instead of querying a node",
    },
    ...gatewayOptions,
    verify: verifyOption,
    proofs: proofsOption,
    archive: archiveOption,
    port: { ...numberOption, describe: "port to listen on [default: 8030, or any free port]" },
    data: {
      ...textOption,
      describe: "folder that keeps the indexed data, so that the next run continues there [default: memory]",
    },
    ...networkOptions,
    cache: cacheOption,
    ...doorOptions,
  },
  examples: [
    ["$0 dev --demo", "without a node: an example, a recorded chain, a query page"],
    [
      "$0 dev subgraph.json --rpc mainnet=https://…",
      "your own configuration: save an edit, and query it at the same address",
    ],
    ["$0 dev . --rpc http://127.0.0.1:8545", "the hand-written subgraph in this folder"],
  ],
  epilogue:
    "The previous build answers until the build of an edit has caught up. Ctrl-C shuts down cleanly; a second one stops at once.",
  load: async () => {
    const { planDeveloping } = await import("./dev-arguments.js");
    const { wordOr } = await import("../named/default-word.js");
    return async (args, terminal) => {
      const more = " Or try the example: graphloom dev --demo";
      const subgraph = args.demo
        ? args.subgraph
        : await wordOr(args.subgraph, "graphloom dev", terminal, more);
      const plan = planDeveloping({ ...args, subgraph }, terminal.cwd, terminal.env);
      // Report errors in the arguments before loading the platform, which is large.
      const { develop } = await import("./develop.js");
      return develop(plan, args, terminal);
    };
  },
});
