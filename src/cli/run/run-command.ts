import { command } from "../terminal/command.js";
import {
  cacheOption,
  chainNodesOption,
  formatOption,
  ipfsOption,
  numberOption,
  optimizeOption,
  optionalConfigArgument,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/options.js";

/** `run` */
export const runCommand = command({
  name: "run [config]",
  describe: "Index a chain on this machine and show the entities; they are kept in a database, or forgotten",
  positionals: { config: optionalConfigArgument },
  options: {
    rpc: chainNodesOption,
    ipfs: ipfsOption,
    "ens-names": {
      ...textOption,
      describe: "table of names of ENS, for handlers that look some up: a file of lines hash,name",
    },
    blocks: {
      ...numberOption,
      describe: "how many blocks, from the first one on [default: up to the head]",
    },
    "from-block": {
      ...numberOption,
      describe: "first block, also for sources that start later [default: the first start block]",
    },
    "to-block": { ...numberOption, conflicts: "blocks", describe: "last block [default: the head]" },
    watch: {
      type: "boolean",
      default: false,
      describe: "follow the head, until interrupted or at the last block",
    },
    database: {
      ...textOption,
      describe:
        "keep what is indexed, and go on from there the next time: a folder, or postgres://user:password@host/name [default: memory]",
    },
    entity: { ...textsOption, describe: "entity type to show; may be repeated [default: all]" },
    last: {
      ...numberOption,
      describe: "how many entities of each type to show [default: 5 in tables, else all]",
    },
    output: {
      choices: ["table", "json", "ndjson"],
      default: "table",
      requiresArg: true,
      describe: "how to show entities: for people, as one JSON document, or a line for each",
    },
    patience: { ...numberOption, default: 600, describe: "seconds that a node may be out of reach" },
    verify: verifyOption,
    optimize: optimizeOption,
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 run subgraph.json --rpc mainnet=http://127.0.0.1:8545 --blocks 200", "the first 200 blocks"],
    ["$0 run subgraph.json --rpc http://127.0.0.1:8545 --from-block 0 --watch", "with a local node"],
    ["$0 run subgraph.json --rpc mainnet=https://… --database data", "kept in the folder data"],
  ],
  load: async () => {
    const { configOr } = await import("../compile/default-config.js");
    const { runConfig } = await import("./run-config.js");
    return async (args, terminal) =>
      runConfig({ ...args, config: await configOr(args.config, "graphloom run", terminal) }, terminal);
  },
});
