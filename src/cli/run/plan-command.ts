import { command } from "../terminal/command.js";
import {
  archiveOption,
  cacheOption,
  chainNodesOption,
  formatOption,
  ipfsOption,
  numberOption,
  optimizeOption,
  optionalConfigArgument,
  outputOption,
  patienceOption,
  verifyOption,
} from "../terminal/options.js";
import { usualSamples } from "./usual-samples.js";

/** `plan` */
export const planCommand = command({
  name: "plan [config]",
  describe:
    "Estimate the requests, bytes, time and disk space that run will need, from samples of each chain",
  positionals: { config: optionalConfigArgument },
  options: {
    rpc: chainNodesOption,
    ipfs: ipfsOption,
    blocks: { ...numberOption, describe: "how many blocks to plan for [default: up to the chain head]" },
    "from-block": {
      ...numberOption,
      describe: "first block, as for run [default: the earliest start block]",
    },
    "to-block": { ...numberOption, conflicts: "blocks", describe: "last block [default: the chain head]" },
    samples: {
      ...numberOption,
      default: usualSamples.samples,
      describe: "how many ranges of each chain to index as samples",
    },
    "sample-blocks": {
      ...numberOption,
      default: usualSamples.sampleBlocks,
      describe: "blocks of each sample",
    },
    "log-ranges": {
      ...numberOption,
      default: usualSamples.logRanges,
      describe: "in how many ranges of 2000 blocks to count the logs",
    },
    archive: archiveOption,
    patience: patienceOption,
    verify: verifyOption,
    optimize: optimizeOption,
    output: outputOption,
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 plan subgraph.json --rpc mainnet=https://…", "up to the chain head"],
    ["$0 plan subgraph.json --rpc https://… --samples 20 --output json", "more samples; for programs"],
  ],
  load: async () => {
    const { configOr } = await import("../compile/default-config.js");
    const { planConfig } = await import("./plan-config.js");
    return async (args, terminal) =>
      planConfig({ ...args, config: await configOr(args.config, "graphloom plan", terminal) }, terminal);
  },
});
