import { command } from "../terminal/command.js";
import { configArgument, formatOption, textOption } from "../terminal/options.js";

/** `map` */
export const mapCommand = command({
  name: "map <config>",
  describe: "Draw what a configuration listens to and what it stores, as SVG",
  positionals: { config: configArgument },
  options: {
    output: { ...textOption, describe: "file to write to, such as map.svg [default: standard output]" },
    format: { ...formatOption, choices: ["text", "github"], describe: "how to report mistakes" },
  },
  examples: [
    ["$0 map subgraph.json --output map.svg", "contracts, their events and calls, and the entities"],
  ],
  load: async () => (await import("./draw-config.js")).drawConfig,
});
