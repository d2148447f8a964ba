import { command } from "../terminal/command.js";
import { cacheOption, textOption } from "../terminal/usage/options.js";

export const mcpCommand = command({
  name: "mcp",
  describe: "Serve tools to a coding agent over standard input and output (Model Context Protocol)",
  options: {
    "read-only": {
      type: "boolean",
      default: false,
      describe: "offer no tool that changes files or deploys",
    },
    database: {
      ...textOption,
      describe:
        "let the tool why read the database of run, dev or serve: a folder, or postgres://user:password@host/name [default: GRAPHLOOM_DATABASE]",
    },
    data: { ...textOption, describe: "the same as the folder of dev --data or serve --data" },
    "trust-definitions": {
      type: "boolean",
      default: false,
      describe:
        "let definitions of pipelines that the agent names use secrets and variables of the environment, and reach private addresses",
    },
    cache: cacheOption,
  },
  examples: [
    ["$0 mcp", "the command line that an agent's settings name; the agent starts it itself"],
    ["$0 mcp --read-only --api-url https://…", "look, but change nothing"],
  ],
  epilogue:
    "Paths in calls of tools lead to files of the folder in which the command was started, and to no others. Nodes of " +
    "chains come from GRAPHLOOM_RPC_<CHAIN>. A deployment asks the user first.",
  load: async () => (await import("./serve-mcp.js")).serveMcp,
});
