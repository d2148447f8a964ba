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
} from "../terminal/usage/options.js";

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
        "write nothing; exit with 1 if the folder differs from what would be generated (build/ counts only with --build, generated/ only if it exists)",
    },
    build: buildOption,
    optimize: optimizeOption,
    force: forceOption,
    watch: { ...watchOption, describe: `${watchOption.describe}; replaces the files that it generates` },
    cache: cacheOption,
    format: formatOption,
  },
  examples: [
    ["$0 compile subgraph.json --out subgraph --build --force", "regenerate on every build"],
    ["$0 compile subgraph.json --out subgraph --build --watch", "regenerate after every edit"],
    [
      "$0 compile subgraph.json --out subgraph --check",
      "in CI: check that the committed files are up to date",
    ],
  ],
  load: async () => (await import("./compile-to-folder.js")).compileToFolder,
});
