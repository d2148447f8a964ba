import { command } from "../terminal/command.js";
import {
  cacheOption,
  dryRunOption,
  fixOption,
  formatOption,
  optionalConfigArgument,
  watchOption,
} from "../terminal/options.js";

/** `check` */
export const checkCommand = command({
  name: "check [config]",
  describe: "Say everything there is to say about a configuration; write nothing, unless told to fix it",
  positionals: { config: optionalConfigArgument },
  options: {
    fix: fixOption,
    "dry-run": dryRunOption,
    watch: watchOption,
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 check subgraph.json --watch", "while writing it"],
    ["$0 check subgraph.json --fix", "make the changes that are certain, and show them"],
    ["$0 check subgraph.json --format github", "in a workflow: mistakes are shown in the change"],
  ],
  load: async () => {
    const { configOr } = await import("./default-config.js");
    const { checkConfig } = await import("./check-config.js");
    return async (args, terminal) =>
      checkConfig({ ...args, config: await configOr(args.config, "graphloom check", terminal) }, terminal);
  },
});
