import { remotely } from "../../remote/remotely.js";
import { command, group } from "../../terminal/command.js";
import { deleteOption, textOption, textsOption } from "../../terminal/usage/options.js";
import { nameOrDefinition, stateOption, subgraphOptions, varOption } from "../pipeline-options.js";

const placeOptions = { state: stateOption, var: varOption, ...subgraphOptions } as const;

const listCommand = command({
  name: "list <nameOrConfigPath>",
  describe: "List the changes that sinks have refused, and the changes that wait behind them",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, describe: "sink to look at [default: all]" },
    output: {
      choices: ["table", "json", "yaml"],
      default: "table",
      requiresArg: true,
      describe: "output format: a table, or one JSON or YAML document",
    },
    ...placeOptions,
  },
  examples: [
    [
      "$0 pipeline parked list transfers.yaml",
      "keys, reasons and times; graphloom pipeline parked does the same",
    ],
    ["$0 pipeline parked list transfers.yaml --output json", "with all columns, for scripts"],
    ["$0 pipeline parked list transfers", "those of a pipeline on the server"],
  ],
  load: remotely(async () => (await import("./parked-pipeline.js")).listParked),
});

const retryCommand = command({
  name: "retry <nameOrConfigPath>",
  describe: "Write parked changes, those of each key in their order, as far as sinks take them",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, describe: "sink to write [default: all]" },
    key: {
      ...textsOption,
      describe: "changes of one key, <column>=<value>; repeated for several columns [default: all]",
    },
    ...placeOptions,
  },
  examples: [
    [
      "$0 pipeline parked retry transfers.yaml",
      "after you have corrected the table; stop the pipeline first",
    ],
    ["$0 pipeline parked retry transfers.yaml --sink stored --key id=a1", "one key of one sink"],
  ],
  load: remotely(async () => (await import("./parked-pipeline.js")).retryParkedChanges),
});

const dropCommand = command({
  name: "drop <nameOrConfigPath>",
  describe: "Give the parked changes of a key up, so that they hold nothing back",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, demandOption: true, describe: "sink that has parked them" },
    key: {
      ...textsOption,
      demandOption: true,
      describe: "the key, <column>=<value>; repeated for several columns",
    },
    force: deleteOption,
    ...placeOptions,
  },
  examples: [
    ["$0 pipeline parked drop transfers.yaml --sink stored --key id=a1", "says what is lost, and asks"],
  ],
  epilogue: "pipeline verify says of such rows that they were dropped by hand.",
  load: remotely(async () => (await import("./parked-pipeline.js")).dropParkedChanges),
});

/** `pipeline parked` */
export const parkedCommands = group({
  name: "parked",
  aliases: ["park"],
  describe: "Show, write or drop the changes that sinks keep aside",
  usage:
    "$0 pipeline parked [command]\n\nShow, write or drop the changes that sinks keep aside: see on_error.\n" +
    "Without a command, list them.",
  demand: { usual: "list" },
  commands: [listCommand, retryCommand, dropCommand],
});
