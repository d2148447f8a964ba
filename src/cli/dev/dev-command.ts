import { command } from "../terminal/command.js";
import {
  cacheOption,
  chainNodesOption,
  ipfsOption,
  numberOption,
  textOption,
  verifyOption,
} from "../terminal/options.js";

/** `dev` */
export const devCommand = command({
  name: "dev [config]",
  describe: "Index a configuration and answer queries to it, anew with every edit",
  positionals: {
    config: {
      type: "string",
      describe: "configuration: JSON, JSON5 or YAML [default: subgraph.json; with --demo, the shipped one]",
    },
  },
  options: {
    rpc: chainNodesOption,
    demo: {
      type: "boolean",
      default: false,
      describe: "play a recorded chain instead of asking a node",
    },
    ipfs: ipfsOption,
    verify: verifyOption,
    port: { ...numberOption, describe: "port to listen at [default: 8030, or any that is free]" },
    data: {
      ...textOption,
      describe: "folder to keep what was indexed, and to go on from there the next time [default: memory]",
    },
    cache: cacheOption,
  },
  examples: [
    ["$0 dev --demo", "without a node: a recorded chain, an example, a page for queries"],
    [
      "$0 dev subgraph.json --rpc mainnet=https://…",
      "your own; save it, and its address answers from the change",
    ],
  ],
  epilogue:
    "What answers goes on to do so until the build of an edit has caught up. Ctrl-C ends it in order; twice, at once.",
  load: async () => {
    const { planDeveloping } = await import("./dev-arguments.js");
    const { configOr } = await import("../compile/default-config.js");
    return async (args, terminal) => {
      const config = args.demo
        ? args.config
        : await configOr(args.config, "graphloom dev", terminal, " Or try it: graphloom dev --demo");
      const plan = planDeveloping({ ...args, config }, terminal.cwd);
      // The platform is large: a mistake is told before it is loaded.
      const { develop } = await import("./develop.js");
      return develop(plan, args, terminal);
    };
  },
});
