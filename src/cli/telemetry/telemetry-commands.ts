import { command, group } from "../terminal/command.js";
import { outputOption, textOption } from "../terminal/usage/options.js";

const statusCommand = command({
  name: "status",
  describe: "Show whether commands send events, where to, and what events contain",
  options: { output: outputOption },
  examples: [["$0 telemetry status", "nothing is sent unless you have enabled it"]],
  load: async () => (await import("./manage-telemetry.js")).showTelemetry,
});

const enableCommand = command({
  name: "enable",
  describe: "Send an event after each command, without your names, files or addresses",
  options: {
    url: {
      ...textOption,
      describe: "address to send to [default: GRAPHLOOM_TELEMETRY_URL, or the last one given]",
    },
  },
  examples: [["$0 telemetry enable --url https://events.example.com", "nothing is sent without an address"]],
  load: async () => (await import("./manage-telemetry.js")).enableTelemetry,
});

const disableCommand = command({
  name: "disable",
  describe: "Send nothing",
  examples: [["$0 telemetry disable", "this is the default; DO_NOT_TRACK=1 does the same"]],
  load: async () => (await import("./manage-telemetry.js")).disableTelemetry,
});

export const telemetryCommands = group({
  name: "telemetry",
  describe: "Show and choose what is sent about the commands you use: nothing, unless you enable it",
  usage: "$0 telemetry <command>\n\nShow and choose what is sent about the commands you use",
  demand: "No command given. Try: graphloom telemetry status",
  commands: [statusCommand, enableCommand, disableCommand],
});
