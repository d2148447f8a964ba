import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, subgraphArgument, textOption } from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

const tagOption = {
  ...textOption,
  alias: "t",
  demandOption: "specify a tag: --tag <tag>",
  describe: "tag, or several separated by commas",
} as const satisfies Options;

/** `subgraph tag` */
export const tagCommands = group({
  name: "tag",
  describe: "Create, move and delete tags",
  usage: "$0 subgraph tag <command>\n\nCreate, move and delete tags: names that point to a version",
  demand: "No command given. Try: graphloom subgraph tag create --help",
  commands: [
    command({
      name: "create <nameAndVersion>",
      describe: "Create a tag that points to a version, or move it there",
      positionals: { nameAndVersion: subgraphArgument },
      options: { tag: tagOption, output: outputOption },
      examples: [["$0 subgraph tag create pools/1.0.0 --tag prod", "pools/prod now points to pools/1.0.0"]],
      load: remotely(async () => (await import("./manage-tags.js")).createTag),
    }),
    command({
      name: "delete <nameAndVersion>",
      describe: "Delete a tag; the version it points to stays",
      positionals: { nameAndVersion: subgraphArgument },
      options: { tag: tagOption, force: deleteOption },
      examples: [["$0 subgraph tag delete pools/1.0.0 --tag prod", "asks first"]],
      load: remotely(async () => (await import("./manage-tags.js")).deleteTag),
    }),
  ],
});
