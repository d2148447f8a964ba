import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { numberOption, subgraphArgument, textOption } from "../terminal/usage/options.js";
import { logLevels } from "./log-selection.js";

/** `subgraph log` */
export const logCommand = command({
  name: "log <nameAndVersion>",
  describe: "Show the log of a subgraph and follow it until interrupted",
  positionals: { nameAndVersion: subgraphArgument },
  options: {
    since: { ...textOption, default: "1m", describe: "how far back to start: now, 5s, 2m, 3h" },
    format: {
      choices: ["pretty", "json", "text"],
      default: "text",
      requiresArg: true,
      describe: "pretty has colours and whole messages, json one object per line, text one line per message",
    },
    filter: {
      choices: logLevels,
      default: "info",
      requiresArg: true,
      describe: "lowest level to show",
    },
    levels: {
      ...textOption,
      describe: "exactly these levels, comma-separated; overrides --filter",
    },
    interval: { ...numberOption, default: 5, describe: "seconds between polls" },
    follow: {
      type: "boolean",
      default: true,
      describe: "wait for new messages; --no-follow prints the existing ones and exits",
    },
  },
  examples: [
    ["$0 subgraph log pools/1.0.0 --since 1h --filter warn", "warnings and errors"],
    ["$0 subgraph log pools/1.0.0 --levels error,debug --format json --no-follow", "for scripts"],
  ],
  load: remotely(async () => (await import("./follow-log.js")).followLog),
});
