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
  verifyOption,
} from "../terminal/options.js";

/** `plan` */
export const planCommand = command({
  name: "plan [config]",
  describe: "Estimate the requests, bytes and time that run will need, from samples of each chain",
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
    samples: { ...numberOption, default: 8, describe: "how many ranges of each chain to index as samples" },
    "sample-blocks": { ...numberOption, default: 200, describe: "blocks of each sample" },
    archive: archiveOption,
    patience: { ...numberOption, default: 600, describe: "seconds to keep retrying an unreachable node" },
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
