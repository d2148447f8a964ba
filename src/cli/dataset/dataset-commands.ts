import { command, group } from "../terminal/command.js";
import { textOption } from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

const listFormatOption = {
  type: "string",
  alias: "outputFormat",
  choices: ["json", "table", "yaml"],
  default: "table",
  requiresArg: true,
  describe: "output format: a table, or one JSON or YAML document",
} as const satisfies Options;

const getFormatOption = {
  type: "string",
  choices: ["json", "yaml"],
  default: "yaml",
  requiresArg: true,
  describe: "format of the description",
} as const satisfies Options;

const listCommand = command({
  name: "list",
  describe: "List the datasets of all chains, or of one",
  options: {
    output: listFormatOption,
    group: {
      ...textOption,
      describe:
        "only one group, which is a chain: its prefix, such as ethereum, another of its names, or its id",
    },
  },
  examples: [
    ["$0 dataset list", "asks for a chain in a terminal; elsewhere it lists all"],
    ["$0 dataset list --group base", "the datasets of Base"],
    ["$0 dataset list --output json", "all of them, for scripts"],
  ],
  epilogue:
    "A group is a chain. Without --group, a table in a terminal asks which one; JSON, YAML and pipes get all.",
  load: async () => (await import("./list-datasets.js")).listDatasets,
});

const getCommand = command({
  name: "get <name>",
  describe: "Show a dataset: its columns, an example row, what it requires, and the names of its chain",
  positionals: {
    name: { type: "string", demandOption: true, describe: "<chain>.<kind>, such as ethereum.raw_logs" },
  },
  options: {
    outputFormat: getFormatOption,
    version: { ...textOption, alias: "v", describe: "version of the dataset [default: the current one]" },
  },
  examples: [
    ["$0 dataset get ethereum.raw_logs", "columns with their types"],
    ["$0 dataset get base.erc20_transfers -v 1.2.0 --outputFormat json", "a certain version, for scripts"],
  ],
  load: async () => (await import("./get-dataset.js")).getDataset,
});

export const datasetCommands = group({
  name: "dataset",
  describe: "Show the available tables of chain data",
  usage: "$0 dataset <command>\n\nShow the available tables of chain data",
  demand: "No command given. Try: graphloom dataset list",
  commands: [listCommand, getCommand],
});
