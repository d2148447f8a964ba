import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, subgraphArgument, textOption } from "../terminal/options.js";
import type { Options } from "../terminal/yargs.js";

const tagOption = {
  ...textOption,
  alias: "t",
  demandOption: "say which tag: --tag <tag>",
  describe: "the tag; several separated by commas",
} as const satisfies Options;

/** `subgraph tag` */
export const tagCommands = group({
  name: "tag",
  describe: "Create, move and delete tags",
  usage: "$0 subgraph tag <command>\n\nCreate, move and delete tags: names that point to a version",
  demand: "Say what to do: graphloom subgraph tag create --help",
  commands: [
    command({
      name: "create <nameAndVersion>",
      describe: "Make a tag point to a version, wherever it pointed before",
      positionals: { nameAndVersion: subgraphArgument },
      options: { tag: tagOption, output: outputOption },
      examples: [["$0 subgraph tag create pools/1.0.0 --tag prod", "pools/prod is pools/1.0.0 from now on"]],
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
