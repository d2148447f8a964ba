import { command } from "../terminal/command.js";
import {
  buildOption,
  cacheOption,
  configArgument,
  forceOption,
  formatOption,
  optimizeOption,
  textOption,
  watchOption,
} from "../terminal/options.js";

/** `compile` */
export const compileCommand = command({
  name: "compile <config>",
  describe: "Generate a subgraph as a build step, or check that it is up to date",
  positionals: { config: configArgument },
  options: {
    out: { ...textOption, describe: "folder to write to [default: the subgraph's name]" },
    check: {
      type: "boolean",
      default: false,
      describe:
        "write nothing; exit with 1 when the folder differs from what would be generated (build/ only counts with --build, generated/ only when it is there)",
    },
    build: buildOption,
    optimize: optimizeOption,
    force: forceOption,
    watch: { ...watchOption, describe: `${watchOption.describe}; replaces what it generates` },
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 compile subgraph.json --out subgraph --build --force", "regenerate on every build"],
    ["$0 compile subgraph.json --out subgraph --build --watch", "while writing it"],
    ["$0 compile subgraph.json --out subgraph --check", "in CI: is what is committed up to date?"],
  ],
  load: async () => (await import("./compile-to-folder.js")).compileToFolder,
});
