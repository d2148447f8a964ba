import { networkOptions, subgraphWord } from "../../named/word-options.js";
import { command } from "../../terminal/command.js";
import {
  archiveOption,
  cacheOption,
  chainNodesOption,
  formatOption,
  gatewayOptions,
  numberOption,
  optimizeOption,
  outputOption,
  patienceOption,
  verifyOption,
} from "../../terminal/usage/options.js";
import { usualSamples } from "./usual-samples.js";

export const planCommand = command({
  name: "plan [subgraph]",
  describe:
    "Estimate the requests, bytes, time and disk space that run will need, from samples of each chain",
  positionals: { subgraph: subgraphWord },
  options: {
    rpc: chainNodesOption,
    ...gatewayOptions,
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
    ...networkOptions,
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
    const { wordOr } = await import("../../named/default-word.js");
    const { planWord } = await import("./plan-word.js");
    return async (args, terminal) =>
      planWord({ ...args, subgraph: await wordOr(args.subgraph, "graphloom plan", terminal) }, terminal);
  },
});
