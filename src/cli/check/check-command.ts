import { networkOptions, subgraphWord } from "../named/word-options.js";
import { command } from "../terminal/command.js";
import {
  cacheOption,
  checkFormatOption,
  dryRunOption,
  fixOption,
  textOption,
  watchOption,
} from "../terminal/usage/options.js";

export const checkCommand = command({
  name: "check [subgraph]",
  describe:
    "Check a subgraph, or the definition of a pipeline, and report every problem; change nothing, except with --fix",
  positionals: { subgraph: subgraphWord },
  options: {
    fix: fixOption,
    "dry-run": dryRunOption,
    watch: watchOption,
    ...networkOptions,
    ipfs: { ...textOption, describe: "IPFS gateway with a deployment: the address before /ipfs/" },
    cache: cacheOption,
    format: checkFormatOption,
  },
  examples: [
    ["$0 check subgraph.json --watch", "check again after every edit"],
    ["$0 check subgraph.json --fix", "apply the fixes that are certain, and show them"],
    ["$0 check .", "the subgraph in this folder, also a hand-written one"],
    ["$0 check subgraph.json --format github", "in a workflow: show problems as annotations"],
    ["$0 check subgraph.json --format sarif > graphloom.sarif", "for code scanning"],
  ],
  load: async () => {
    const { wordOr } = await import("../named/default-word.js");
    const { checkWord } = await import("./check-word.js");
    return async (args, terminal) =>
      checkWord({ ...args, subgraph: await wordOr(args.subgraph, "graphloom check", terminal) }, terminal);
  },
});
