import { command, group } from "../terminal/command.js";
import { textOption } from "../terminal/options.js";

const statusCommand = command({
  name: "status",
  describe: "Say whether anything is sent after commands, where to, and what",
  examples: [["$0 telemetry status", "nothing is sent unless you have enabled it"]],
  load: async () => (await import("./manage-telemetry.js")).showTelemetry,
});

const enableCommand = command({
  name: "enable",
  describe: "Have an event sent after each command, without names, files or addresses of yours",
  options: {
    url: { ...textOption, describe: "where to [default: GRAPHLOOM_TELEMETRY_URL, or what was given last]" },
  },
  examples: [["$0 telemetry enable --url https://events.example.com", "nothing is sent without an address"]],
  load: async () => (await import("./manage-telemetry.js")).enableTelemetry,
});

const disableCommand = command({
  name: "disable",
  describe: "Have nothing sent",
  examples: [["$0 telemetry disable", "as it is from the beginning; DO_NOT_TRACK=1 does the same"]],
  load: async () => (await import("./manage-telemetry.js")).disableTelemetry,
});

/** `telemetry` */
export const telemetryCommands = group({
  name: "telemetry",
  describe: "See and decide what is sent about the use of the commands: nothing, unless you say so",
  usage: "$0 telemetry <command>\n\nSee and decide what is sent about the use of the commands",
  demand: "Say what to do: graphloom telemetry status",
  commands: [statusCommand, enableCommand, disableCommand],
});
