import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { outputOption } from "../terminal/usage/options.js";

/** `subgraph list` */
export const listCommand = command({
  name: "list [nameAndVersion]",
  describe: "List deployed subgraphs and tags",
  positionals: { nameAndVersion: { type: "string", describe: "only this <name> or <name>/<version>" } },
  options: {
    filter: {
      choices: ["tags", "deployments"],
      requiresArg: true,
      describe: "only tags, or only deployed versions",
    },
    summary: {
      type: "boolean",
      default: false,
      describe: "print one line per subgraph; the default without a name",
    },
    output: {
      ...outputOption,
      choices: [...outputOption.choices, "lines"],
      describe: "table for people, one JSON document, or lines as scripts for Goldsky read them",
    },
  },
  examples: [
    ["$0 subgraph list", "all versions and tags of the project, one line each, failed ones first"],
    ["$0 subgraph list pools", "all details of the versions and tags of pools"],
    ["$0 subgraph list pools --output json", "all versions and tags of pools, for scripts"],
  ],
  load: remotely(async () => (await import("./list-subgraphs.js")).listSubgraphs),
});
