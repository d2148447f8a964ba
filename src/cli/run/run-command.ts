import { networkOptions, subgraphWord } from "../named/word-options.js";
import { command } from "../terminal/command.js";
import {
  archiveOption,
  cacheOption,
  chainNodesOption,
  formatOption,
  gatewayOptions,
  numberOption,
  offlineOption,
  optimizeOption,
  patienceOption,
  proofsOption,
  sourceOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/usage/options.js";

export const runCommand = command({
  name: "run [subgraph]",
  describe: "Index chains on this machine and show the entities, optionally keeping them in a database",
  positionals: { subgraph: subgraphWord },
  options: {
    rpc: chainNodesOption,
    source: sourceOption,
    ...gatewayOptions,
    "ens-names": {
      ...textOption,
      describe: "file of ENS names, for handlers that look names up: one hash,name per line",
    },
    blocks: {
      ...numberOption,
      describe: "how many blocks to index, counted from the first one [default: up to the chain head]",
    },
    "from-block": {
      ...numberOption,
      describe: "first block, even for data sources that start later [default: the earliest start block]",
    },
    "to-block": { ...numberOption, conflicts: "blocks", describe: "last block [default: the chain head]" },
    watch: {
      type: "boolean",
      default: false,
      describe: "follow the chain head, until interrupted or at the last block",
    },
    plan: {
      type: "boolean",
      default: false,
      describe: "estimate first, as graphloom plan does, and compare the estimate with the run at its end",
    },
    database: {
      ...textOption,
      describe:
        "keep the entities, and continue from there in the next run: a folder, or postgres://user:password@host/name [default: memory]",
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
      describe: "how to show entities: as tables, as one JSON document, or as one JSON line each",
    },
    ...networkOptions,
    archive: archiveOption,
    offline: offlineOption,
    patience: patienceOption,
    verify: verifyOption,
    proofs: proofsOption,
    optimize: optimizeOption,
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 run subgraph.json --rpc mainnet=http://127.0.0.1:8545 --blocks 200", "the first 200 blocks"],
    ["$0 run subgraph.json --rpc http://127.0.0.1:8545 --from-block 0 --watch", "with a local node"],
    ["$0 run subgraph.json --rpc mainnet=https://… --database data", "keeps the entities in the folder data"],
    [
      "$0 run . --network sepolia --rpc https://…",
      "a hand-written subgraph in this folder, on another network",
    ],
  ],
  load: async () => {
    const { wordOr } = await import("../named/default-word.js");
    const { runWord } = await import("./run-word.js");
    return async (args, terminal) =>
      runWord({ ...args, subgraph: await wordOr(args.subgraph, "graphloom run", terminal) }, terminal);
  },
});
