import { serverPipelineCommands } from "../hosted-pipeline/server-commands.js";
import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import {
  archiveOption,
  checkFormatOption,
  formatOption,
  networkNodesOption,
  offlineOption,
  patienceOption,
  resetOptions,
  sourceOption,
  textOption,
  verifyOption,
} from "../terminal/usage/options.js";
import { definition, nameOrDefinition, stateOption, subgraphOptions, varOption } from "./pipeline-options.js";
import { parkedCommands } from "./tasks/parked-commands.js";

/** How sources are read. */
const sourceOptions = {
  rpc: networkNodesOption,
  source: sourceOption,
  archive: archiveOption,
  offline: offlineOption,
  patience: patienceOption,
  verify: verifyOption,
  state: stateOption,
  var: varOption,
  ...subgraphOptions,
} as const;

const integersOption = {
  choices: ["decimal", "string"],
  default: "string",
  requiresArg: true,
  describe:
    "what integers of 256 bits are in Flink: text that holds all of them, or numbers of 38 digits, where a larger one stops the pipeline",
} as const;

/** Where queries run. */
const engineOptions = {
  engine: {
    ...textOption,
    describe: "let Flink run the queries: flink=<address of its SQL gateway> [default: they run here]",
  },
  kafka: {
    ...textOption,
    describe: "cluster of the topics that Flink reads: <host>:<port>, or the name of a secret",
  },
  integers: integersOption,
  "from-snapshot": {
    choices: ["last", "none"],
    default: "last",
    requiresArg: true,
    describe: "where Flink's job continues: at its last savepoint, or none to start over",
  },
} as const;

/** What to do with sinks whose definition has changed. */
const changeOptions = {
  continue: {
    type: "boolean",
    default: false,
    describe: "let sinks go on whose rows are computed otherwise; rows that they have stay as they are",
  },
  ...resetOptions,
  yes: { type: "boolean", alias: "y", default: false, describe: "empty sinks without asking" },
} as const;

/** `pipeline run` */
const runCommand = command({
  name: "run <config-path>",
  describe: "Run a pipeline or a stream on this machine, without a server",
  positionals: { "config-path": definition },
  options: {
    ...sourceOptions,
    ...engineOptions,
    ...changeOptions,
    "fail-fast": {
      type: "boolean",
      default: false,
      describe: "end the run when a sink stops for good [default: the other sinks go on]",
    },
    health: {
      ...textOption,
      describe: "serve /health and /metrics on a port, or on <address>:<port> for other machines",
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
    ["$0 pipeline run transfers.yaml --health 0.0.0.0:8080", "for the probes of a container"],
  ],
  load: async () => {
    const { runPipeline } = await import("./run-pipeline.js");
    return runPipeline;
  },
});

/** `pipeline validate` */
const validateCommand = command({
  name: "validate [config-path]",
  describe: "Check the definition of a pipeline or a stream, and report every problem",
  positionals: { "config-path": { ...textOption, describe: definition.describe } },
  options: {
    definition: { ...textOption, deprecated: "pass a file", describe: "definition as JSON or YAML" },
    "definition-path": {
      ...textOption,
      deprecated: "pass the file without an option",
      describe: "file with the definition",
    },
    var: varOption,
    ...subgraphOptions,
    format: checkFormatOption,
  },
  examples: [["$0 pipeline validate transfers.yaml", "check names, columns and SQL"]],
  load: async () => {
    const { validatePipeline } = await import("./validate-pipeline.js");
    return validatePipeline;
  },
});

const reportOption = {
  choices: ["text", "json"],
  default: "text",
  requiresArg: true,
  describe: "report format: text for people, or one JSON document on standard output",
} as const;

const rangeOption = {
  ...textOption,
  describe: "first and last block, such as 100-200; widened to whole ranges of the ledger [default: all]",
} as const;

/** `pipeline verify` */
const verifyCommand = command({
  name: "verify <nameOrConfigPath>",
  describe: "Compare sources, ledgers and sinks, and find every row that is not as it should be",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, describe: "sink to look at [default: all]" },
    range: rangeOption,
    ...sourceOptions,
    format: reportOption,
  },
  examples: [
    ["$0 pipeline verify transfers.yaml --rpc https://…", "compare everything; nothing is written"],
    ["$0 pipeline verify transfers", "the same for a pipeline on the server, with its nodes and secrets"],
    [
      "$0 pipeline verify transfers.yaml --sink stored --range 100-200 --offline",
      "some blocks, from the archive",
    ],
  ],
  load: remotely(async () => (await import("./tasks/audit-pipeline.js")).verifyPipeline),
});

/** `pipeline repair` */
const repairCommand = command({
  name: "repair <nameOrConfigPath>",
  describe: "Mend the rows of a sink that verify finds, and nothing else",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, demandOption: true, describe: "sink to mend" },
    range: rangeOption,
    "trust-source": {
      type: "boolean",
      default: false,
      describe:
        "where source and ledger differ, take what the source says; by default, these ranges are left alone",
    },
    ...sourceOptions,
    format: reportOption,
  },
  examples: [
    [
      "$0 pipeline repair transfers.yaml --sink stored --rpc https://…",
      "mend a table, and say what was wrong",
    ],
    ["$0 pipeline repair transfers --sink stored", "on the server, after pipeline pause transfers"],
  ],
  load: remotely(async () => (await import("./tasks/audit-pipeline.js")).repairPipeline),
});

/** `pipeline adopt` */
const adoptCommand = command({
  name: "adopt <nameOrConfigPath>",
  describe: "Let a sink go on whose position its source does not know, as after a restore from a backup",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, demandOption: true, describe: "sink whose rows become those of its sources" },
    ...sourceOptions,
    format: reportOption,
  },
  examples: [
    ["$0 pipeline adopt pools.yaml --sink stored --database …", "mend the table, then run the pipeline"],
    ["$0 pipeline adopt pools --sink stored", "on the server, after pipeline pause pools"],
  ],
  load: remotely(async () => (await import("./tasks/audit-pipeline.js")).adoptPipeline),
});

/** `pipeline replay` */
const replayCommand = command({
  name: "replay <nameOrConfigPath>",
  describe: "Send the rows of some blocks to a sink again, without clearing what it keeps",
  positionals: { nameOrConfigPath: nameOrDefinition },
  options: {
    sink: { ...textOption, demandOption: true, describe: "sink that gets the rows" },
    "from-block": { ...textOption, demandOption: true, describe: "first block" },
    "to-block": { ...textOption, demandOption: true, describe: "last block, which must be settled" },
    yes: { type: "boolean", alias: "y", default: false, describe: "send without asking" },
    ...sourceOptions,
    format: formatOption,
  },
  examples: [
    [
      "$0 pipeline replay transfers.yaml --sink hook --from-block 100 --to-block 200 --rpc https://…",
      "post rows again that a receiver has lost",
    ],
    [
      "$0 pipeline replay transfers --sink hook --from-block 100 --to-block 200",
      "on the server, after pipeline pause transfers",
    ],
  ],
  load: remotely(async () => (await import("./tasks/replay-pipeline.js")).replayPipeline),
});

/** `pipeline cancel-task` */
const cancelTaskCommand = command({
  name: "cancel-task <nameOrConfigPath>",
  describe: "Cancel the verify, repair, replay or retry of a pipeline on the server that is under way",
  positionals: { nameOrConfigPath: nameOrDefinition },
  examples: [["$0 pipeline cancel-task transfers", "what it has done stays done"]],
  load: remotely(async () => (await import("./tasks/tasks-on-server.js")).cancelTask),
});

/** `pipeline test` */
const testCommand = command({
  name: "test <config-path>",
  describe: "Run the tests in the definition of a pipeline or a stream, without a node",
  positionals: { "config-path": definition },
  options: { var: varOption, format: formatOption },
  examples: [
    ["$0 pipeline test transfers.yaml", "give rows to the sources, and compare what becomes of them"],
  ],
  load: async () => {
    const { testPipeline } = await import("./test-pipeline.js");
    return testPipeline;
  },
});

/** `pipeline export` */
const exportCommand = command({
  name: "export [name]",
  describe:
    "Print pipelines of the server as definitions, or a definition file as statements of another engine",
  positionals: {
    name: { type: "string", describe: "name of a pipeline; with --engine, a definition file" },
  },
  options: {
    all: { type: "boolean", default: false, describe: "every pipeline of the project" },
    engine: {
      choices: ["flink"],
      requiresArg: true,
      describe: "print a definition file as statements of this engine, without a server",
    },
    integers: integersOption,
    var: varOption,
    ...subgraphOptions,
    format: formatOption,
  },
  examples: [
    ["$0 pipeline export --all > pipelines.yaml", "definitions that pipeline apply takes again"],
    ["$0 pipeline export totals.yaml --engine flink", "print SQL for Flink, without secrets"],
  ],
  load: remotely(async () => (await import("./export-pipeline.js")).exportPipeline),
});

/** `pipeline` */
export const pipelineCommands = group({
  name: "pipeline",
  aliases: ["mirror"],
  describe: "Bring chain data into databases and other places",
  usage: "$0 pipeline <command>\n\nBring chain data into databases and other places",
  demand: "No command given. Try: graphloom pipeline run --help",
  commands: [
    runCommand,
    validateCommand,
    testCommand,
    verifyCommand,
    repairCommand,
    adoptCommand,
    replayCommand,
    cancelTaskCommand,
    parkedCommands,
    ...serverPipelineCommands,
    exportCommand,
  ],
});
