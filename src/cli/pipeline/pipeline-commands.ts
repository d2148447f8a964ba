import { command, group } from "../terminal/command.js";
import {
  archiveOption,
  formatOption,
  numberOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/options.js";

const definition = {
  ...textOption,
  demandOption: true,
  describe: "YAML file with the definition; - for standard input",
} as const;

const varOption = {
  ...textsOption,
  describe: "value of a variable in the definition, <NAME>=<value>; may be repeated",
} as const;

/** Where entities of subgraphs are. */
const subgraphOptions = {
  database: {
    ...textOption,
    describe:
      "database of the subgraphs whose entities are read: a folder, or postgres://user:password@host/name [default: GRAPHLOOM_DATABASE]",
  },
  data: { ...textOption, describe: "the same as the folder of dev --data or serve --data" },
} as const;

/** `pipeline run` */
const runCommand = command({
  name: "run <config-path>",
  describe: "Run a pipeline or a stream on this machine, without a server",
  positionals: { "config-path": definition },
  options: {
    rpc: {
      ...textsOption,
      describe:
        "node of a chain: <network>=<url>, or the URL alone if there is one chain [default: GRAPHLOOM_RPC_<NETWORK>]",
    },
    var: varOption,
    ...subgraphOptions,
    archive: archiveOption,
    offline: {
      type: "boolean",
      default: false,
      describe: "read from the archive alone, and send no request to a node",
    },
    patience: { ...numberOption, default: 600, describe: "seconds to keep retrying an unreachable node" },
    verify: verifyOption,
    state: {
      ...textOption,
      describe:
        "folder that keeps where sinks such as webhooks continue [default: GRAPHLOOM_STATE, or graphloom in XDG_STATE_HOME, or ~/.local/state/graphloom]",
    },
    format: formatOption,
  },
  examples: [
    ["$0 pipeline run transfers.yaml --rpc https://…", "run until you press Ctrl-C, and continue next time"],
    [
      "$0 pipeline run transfers.yaml --var CHAIN=base --rpc https://…",
      "with a value for the variable CHAIN",
    ],
    [
      "$0 pipeline run pools.yaml --database postgres://…",
      "with entities of subgraphs that a server indexes",
    ],
  ],
  load: async () => {
    const { runPipeline } = await import("./run-pipeline.js");
    return runPipeline;
  },
});

/** `pipeline validate` */
const validateCommand = command({
  name: "validate <config-path>",
  describe: "Check the definition of a pipeline or a stream, and report every problem",
  positionals: { "config-path": definition },
  options: { var: varOption, ...subgraphOptions, format: formatOption },
  examples: [["$0 pipeline validate transfers.yaml", "check names, columns and SQL"]],
  load: async () => {
    const { validatePipeline } = await import("./validate-pipeline.js");
    return validatePipeline;
  },
});

/** `pipeline` */
export const pipelineCommands = group({
  name: "pipeline",
  describe: "Bring chain data into databases and other places",
  usage: "$0 pipeline <command>\n\nBring chain data into databases and other places",
  demand: "No command given. Try: graphloom pipeline run --help",
  commands: [runCommand, validateCommand],
});
