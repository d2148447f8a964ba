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
  describe: "Check a configuration and report every problem; change nothing, except with --fix",
  positionals: { config: optionalConfigArgument },
  options: {
    fix: fixOption,
    "dry-run": dryRunOption,
    watch: watchOption,
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 check subgraph.json --watch", "check again after every edit"],
    ["$0 check subgraph.json --fix", "apply the fixes that are certain, and show them"],
    ["$0 check subgraph.json --format github", "in a workflow: show problems as annotations"],
  ],
  load: async () => {
    const { configOr } = await import("./default-config.js");
    const { checkConfig } = await import("./check-config.js");
    return async (args, terminal) =>
      checkConfig({ ...args, config: await configOr(args.config, "graphloom check", terminal) }, terminal);
  },
});
