import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { numberOption, subgraphArgument, textOption } from "../terminal/options.js";
import { logLevels } from "./log-selection.js";

/** `subgraph log` */
export const logCommand = command({
  name: "log <nameAndVersion>",
  describe: "Show the log of a subgraph and follow it until interrupted",
  positionals: { nameAndVersion: subgraphArgument },
  options: {
    since: { ...textOption, default: "1m", describe: "how far back to begin: now, 5s, 2m, 3h" },
    format: {
      choices: ["pretty", "json", "text"],
      default: "text",
      requiresArg: true,
      describe: "with colours and whole messages, a JSON object per line, or a line of text each",
    },
    filter: {
      choices: logLevels,
      default: "info",
      requiresArg: true,
      describe: "the least serious level to show",
    },
    levels: {
      ...textOption,
      describe: "exactly these levels, separated by commas; wins over --filter",
    },
    interval: { ...numberOption, default: 5, describe: "seconds between two looks at the log" },
    follow: {
      type: "boolean",
      default: true,
      describe: "wait for more; --no-follow ends with what there is",
    },
  },
  examples: [
    ["$0 subgraph log pools/1.0.0 --since 1h --filter warn", "warnings and errors"],
    ["$0 subgraph log pools/1.0.0 --levels error,debug --format json --no-follow", "for a program"],
  ],
  load: remotely(async () => (await import("./follow-log.js")).followLog),
});
