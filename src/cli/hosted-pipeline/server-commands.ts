import { resourceSizes } from "../../pipelines/host/resource-sizes.js";
import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import {
  checkFormatOption,
  deleteOption,
  numberOption,
  outputOption,
  resetOptions,
  textOption,
  textsOption,
} from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

const nameArgument = {
  type: "string",
  demandOption: true,
  describe: "name of the pipeline, or its definition file",
} as const;

const formatOption = {
  choices: ["json", "table", "yaml"],
  alias: "outputFormat",
  requiresArg: true,
  describe: "output format: a table, or one JSON or YAML document",
} as const satisfies Options;

const versionOption = {
  ...textOption,
  alias: "v",
  describe: "version of the definition [default: the latest]",
} as const satisfies Options;

const snapshotOption = {
  type: "string",
  describe:
    "where it continues: new or last, with what its sinks have; none, from the start; or a snapshot's id; without a value, it asks",
} as const satisfies Options;

const varOption = {
  ...textsOption,
  describe: "value of a variable in the definition, <NAME>=<value>; may be repeated",
} as const satisfies Options;

const statuses = ["ACTIVE", "INACTIVE", "PAUSED"] as const;

const sizeChoices = Object.keys(resourceSizes);

const noEffect = "has no effect here; definitions are always checked";

const skipOption = {
  type: "boolean",
  deprecated: "definitions are always checked",
  describe: noEffect,
} as const satisfies Options;

const applyCommand = command({
  name: "apply <config-path>",
  describe: "Create a pipeline on the server from a YAML file, or change it to what the file says",
  positionals: {
    "config-path": { type: "string", demandOption: true, describe: "YAML file; - for standard input" },
  },
  options: {
    "from-snapshot": snapshotOption,
    "save-progress": { type: "boolean", deprecated: "progress is always saved", describe: "has no effect" },
    "skip-transform-validation": { type: "boolean", default: false, describe: noEffect },
    "skip-validation": skipOption,
    "use-latest-snapshot": {
      type: "boolean",
      deprecated: "use --from-snapshot last",
      describe: "the same as --from-snapshot last",
    },
    status: {
      choices: statuses,
      requiresArg: true,
      describe: "requested state [default: ACTIVE, or as it was]",
    },
    engine: {
      ...textOption,
      describe:
        "what runs the queries: flink or flink=<gateway>, the Flink of a server that was started with --flows; or graphloom [default: graphloom, or as it was]",
    },
    integers: {
      choices: ["decimal", "string"],
      requiresArg: true,
      describe: "what integers of 256 bits are in Flink [default: string, or as it was]",
    },
    ...resetOptions,
    force: { type: "boolean", default: false, describe: "do not ask" },
    var: varOption,
  },
  examples: [
    [
      "$0 pipeline apply transfers.yaml",
      "create it, or give it another version if the file says something else",
    ],
    ["$0 pipeline apply transfers.yaml --status PAUSED", "without starting it"],
    ["$0 pipeline apply totals.yaml --engine flink", "with aggregates and joins, which Flink computes"],
  ],
  load: remotely(async () => (await import("./apply-pipeline.js")).applyPipeline),
});

const getCommand = command({
  name: "get <nameOrConfigPath>",
  describe: "Show a pipeline: its definition, its nodes and the state of its sinks",
  positionals: { nameOrConfigPath: nameArgument },
  options: {
    output: { ...formatOption, default: "yaml" },
    definition: { type: "boolean", default: false, describe: "only the definition, as it was given" },
    version: versionOption,
  },
  examples: [
    ["$0 pipeline get transfers --definition > transfers.yaml", "the definition, to change and apply"],
  ],
  load: remotely(async () => (await import("./show-pipelines.js")).getPipeline),
});

const listCommand = command({
  name: "list",
  describe: "List the pipelines of the project",
  options: {
    output: { ...formatOption, default: "table" },
    outputVerbosity: {
      choices: ["summary", "usablewithapplycmd", "all"],
      default: "summary",
      requiresArg: true,
      describe: "how much JSON and YAML say: a summary, what apply takes, or everything",
    },
    "include-runtime-details": {
      type: "boolean",
      default: false,
      describe: "also whether they run, and how far their sinks are",
    },
  },
  examples: [["$0 pipeline list --include-runtime-details", "what is wanted of each, and whether it runs"]],
  load: remotely(async () => (await import("./show-pipelines.js")).listPipelines),
});

const infoCommand = command({
  name: "info <nameOrConfigPath>",
  describe: "Show a pipeline's status, version and definition for people",
  positionals: { nameOrConfigPath: nameArgument },
  options: { version: versionOption },
  examples: [["$0 pipeline info transfers", "status, sinks, errors and definition"]],
  load: remotely(async () => (await import("./show-pipelines.js")).showInfo),
});

const monitorCommand = command({
  name: "monitor <nameOrConfigPath>",
  describe: "Show rows, blocks and errors of a pipeline, every ten seconds until interrupted",
  positionals: { nameOrConfigPath: nameArgument },
  options: {
    "update-request": { type: "boolean", describe: "only the change that is under way" },
    "max-refreshes": { ...numberOption, alias: "maxRefreshes", describe: "end after so many refreshes" },
    version: versionOption,
  },
  examples: [
    ["$0 pipeline monitor transfers", "until you press Ctrl-C"],
    ["$0 pipeline monitor transfers --max-refreshes 1", "once, for scripts"],
  ],
  load: remotely(async () => (await import("./monitor-pipeline.js")).monitorPipeline),
});

const startCommand = command({
  name: "start <nameOrConfigPath>",
  describe: "Start a pipeline that is paused, stopped or has ended",
  positionals: { nameOrConfigPath: nameArgument },
  options: {
    "use-latest-snapshot": {
      type: "boolean",
      deprecated: "use --from-snapshot last",
      describe: "the same as --from-snapshot last",
    },
    "from-snapshot": snapshotOption,
  },
  examples: [["$0 pipeline start transfers", "continues where its sinks are"]],
  load: remotely(async () => (await import("./change-pipelines.js")).startPipeline),
});

const pauseCommand = command({
  name: "pause <nameOrConfigPath>",
  describe: "Pause a pipeline; it keeps its progress",
  positionals: { nameOrConfigPath: nameArgument },
  examples: [["$0 pipeline pause transfers", "until pipeline start"]],
  load: remotely(async () => (await import("./change-pipelines.js")).pausePipeline),
});

const stopCommand = command({
  name: "stop <nameOrConfigPath>",
  describe: "Stop a pipeline; it keeps its progress, and no snapshot is taken",
  positionals: { nameOrConfigPath: nameArgument },
  examples: [["$0 pipeline stop transfers", "until pipeline start"]],
  load: remotely(async () => (await import("./change-pipelines.js")).stopPipeline),
});

const restartCommand = command({
  name: "restart <nameOrConfigPath>",
  describe: "Restart a pipeline, from where its sinks are or from the start",
  positionals: { nameOrConfigPath: nameArgument },
  options: {
    "from-snapshot": { ...snapshotOption, demandOption: true },
    "disable-monitoring": { type: "boolean", default: false, describe: "do not show its progress" },
  },
  examples: [["$0 pipeline restart transfers --from-snapshot last", "after a secret was corrected"]],
  load: remotely(async () => (await import("./change-pipelines.js")).restartPipeline),
});

const resizeCommand = command({
  name: "resize <nameOrConfigPath> <resourceSize>",
  describe: "Change how much memory a pipeline may use",
  positionals: {
    nameOrConfigPath: nameArgument,
    resourceSize: {
      type: "string",
      choices: sizeChoices,
      default: "s",
      describe: "resource size",
    },
  },
  examples: [["$0 pipeline resize transfers m", "1 GB instead of 512 MB"]],
  load: remotely(async () => (await import("./change-pipelines.js")).resizePipeline),
});

const cancelCommand = command({
  name: "cancel-update <nameOrConfigPath>",
  describe: "Cancel the change of a pipeline that is under way",
  positionals: { nameOrConfigPath: nameArgument },
  examples: [["$0 pipeline cancel-update transfers", "goes back to the version before"]],
  load: remotely(async () => (await import("./change-pipelines.js")).cancelUpdate),
});

const removeCommand = command({
  name: "delete <nameOrConfigPath>",
  describe: "Delete a pipeline and its progress; what its sinks hold stays",
  positionals: { nameOrConfigPath: nameArgument },
  options: { force: deleteOption },
  examples: [["$0 pipeline delete transfers", "asks first"]],
  load: remotely(async () => (await import("./change-pipelines.js")).deletePipeline),
});

/** Options of former commands, which take the definition as an option, not as an argument. */
const oldDefinition = {
  definition: { ...textOption, describe: "definition as JSON or YAML" },
  "definition-path": { ...textOption, describe: "file with the definition" },
  description: { ...textOption, describe: "what it is for, for people" },
} as const;

const sizeOption = {
  choices: sizeChoices,
  alias: "resourceSize",
  requiresArg: true,
  describe: "how much memory it may use",
} as const satisfies Options;

const inFile = "write it in the definition, and use pipeline apply";

const createCommand = command({
  name: "create <name>",
  describe: "Create a pipeline from a definition; pipeline apply does the same with one file",
  positionals: { name: { type: "string", demandOption: true, describe: "name of the pipeline" } },
  options: {
    output: { ...formatOption, default: "yaml" },
    "resource-size": { ...sizeOption, default: "s", deprecated: inFile },
    "skip-transform-validation": { type: "boolean", default: false, describe: noEffect },
    definition: { ...oldDefinition.definition, deprecated: inFile },
    "definition-path": { ...oldDefinition["definition-path"], deprecated: inFile },
    description: { ...oldDefinition.description, deprecated: inFile },
    status: {
      choices: ["ACTIVE", "INACTIVE"],
      default: "ACTIVE",
      requiresArg: true,
      deprecated: inFile,
      describe: "requested state",
    },
    "use-dedicated-ip": { type: "boolean", default: false, describe: "has no effect here" },
    var: varOption,
  },
  examples: [["$0 pipeline create transfers --definition-path transfers.yaml", "fails if it exists"]],
  load: remotely(async () => (await import("./change-by-options.js")).createPipeline),
});

const updateCommand = command({
  name: "update <name>",
  describe: "Deprecated: change a pipeline by options. Use pipeline apply",
  positionals: { name: { type: "string", demandOption: true, describe: "name of the pipeline" } },
  options: {
    output: formatOption,
    "resource-size": sizeOption,
    status: { choices: statuses, requiresArg: true, describe: "requested state" },
    "save-progress": { type: "boolean", describe: "has no effect; progress is always kept" },
    "skip-transform-validation": { type: "boolean", describe: noEffect },
    "use-latest-snapshot": { type: "boolean", describe: "has no effect; it continues where its sinks are" },
    ...oldDefinition,
    var: varOption,
  },
  examples: [["$0 pipeline update transfers --status PAUSED", "the same as pipeline pause"]],
  load: remotely(async () => (await import("./change-by-options.js")).updatePipeline),
});

const definitionCommand = command({
  name: "get-definition <name>",
  describe: "Deprecated: show the definition of a pipeline. Use pipeline get <name> --definition",
  positionals: { name: { type: "string", demandOption: true, describe: "name of the pipeline" } },
  options: {
    output: {
      choices: ["json", "yaml"],
      alias: "outputFormat",
      default: "yaml",
      requiresArg: true,
      describe: "format of the definition",
    },
  },
  examples: [["$0 pipeline get-definition transfers --output json", "sources, transforms and sinks"]],
  load: remotely(async () => (await import("./show-pipelines.js")).getDefinition),
});

const snapshotsList = command({
  name: "list <nameOrConfigPath>",
  describe: "List the snapshots of a pipeline, newest first",
  positionals: { nameOrConfigPath: nameArgument },
  options: {
    version: { ...versionOption, describe: "only those of a version of the definition [default: all]" },
    output: outputOption,
  },
  examples: [["$0 pipeline snapshots list transfers", "their ids, for --from-snapshot"]],
  load: remotely(async () => (await import("./snapshots.js")).listSnapshots),
});

const snapshotsCreate = command({
  name: "create <nameOrConfigPath>",
  describe: "Take a snapshot of how far the sinks of a pipeline are",
  positionals: { nameOrConfigPath: nameArgument },
  examples: [["$0 pipeline snapshots create transfers", "to be able to go back to it"]],
  load: remotely(async () => (await import("./snapshots.js")).createSnapshot),
});

const snapshotCommands = group({
  name: "snapshots",
  aliases: ["snapshot"],
  describe: "List and take snapshots of pipelines",
  usage: "$0 pipeline snapshots <command>\n\nList and take snapshots of pipelines",
  demand: "No command given. Try: graphloom pipeline snapshots list --help",
  commands: [snapshotsList, snapshotsCreate],
});

/** The commands of `pipeline` that talk to a server. */
export const serverPipelineCommands = [
  createCommand,
  updateCommand,
  definitionCommand,
  snapshotCommands,
  applyCommand,
  getCommand,
  listCommand,
  infoCommand,
  monitorCommand,
  startCommand,
  pauseCommand,
  stopCommand,
  restartCommand,
  resizeCommand,
  cancelCommand,
  removeCommand,
];

const streamArgument = { ...nameArgument, describe: "name of the stream, or its definition file" } as const;

/** The commands that change a stream also take its definition as an option, as scripts pass it. */
const changedStream = {
  positionals: {
    nameOrConfigPath: { type: "string", describe: "name of the stream, or its definition file" },
  },
  fileOption: { ...textOption, alias: "f", describe: "definition file that names the stream" },
} as const;

const streamApply = command({
  name: "apply <config-path>",
  describe: "Create a stream on the server from a YAML file, or change it to what the file says",
  positionals: {
    "config-path": { type: "string", demandOption: true, describe: "YAML file; - for standard input" },
  },
  options: {
    ...resetOptions,
    force: { type: "boolean", default: false, describe: "do not ask" },
    inspect: {
      type: "boolean",
      alias: "i",
      default: false,
      describe: "then show rows as they pass its nodes, as stream inspect does",
    },
    "skip-validation": skipOption,
    var: varOption,
  },
  examples: [
    ["$0 stream apply transfers.yaml", "it continues where its sinks are"],
    ["$0 stream apply transfers.yaml --inspect", "and see its rows"],
  ],
  load: remotely(async () => (await import("./change-streams.js")).applyStream),
});

const streamValidate = command({
  name: "validate <config-path>",
  describe: "Check a definition on the server, which knows secrets and subgraphs, without applying it",
  positionals: {
    "config-path": { type: "string", demandOption: true, describe: "YAML file; - for standard input" },
  },
  options: {
    var: varOption,
    format: checkFormatOption,
  },
  examples: [["$0 stream validate transfers.yaml", "every mistake, at its line"]],
  load: remotely(async () => (await import("./apply-pipeline.js")).checkOnServer),
});

const streamList = command({
  name: "list",
  describe: "List the streams of the project",
  options: { output: { ...formatOption, default: "table" } },
  examples: [["$0 stream list", "names, versions and statuses"]],
  load: remotely(async () => (await import("./show-pipelines.js")).listStreams),
});

const streamLogs = command({
  name: "logs <nameOrConfigPath>",
  describe: "Show the log of a stream and follow it until interrupted",
  positionals: { nameOrConfigPath: streamArgument },
  options: {
    follow: {
      type: "boolean",
      default: true,
      describe: "wait for new lines; --no-follow prints the existing ones and exits",
    },
    timestamps: { type: "boolean", default: false, describe: "begin each line with its time" },
    tail: { ...numberOption, default: 100, describe: "lines of the past to show" },
    since: { ...numberOption, describe: "only lines of the last so many seconds" },
  },
  examples: [
    ["$0 stream logs transfers --no-follow", "the last hundred lines"],
    ["$0 stream logs transfers --since 600", "the last ten minutes, and what follows"],
  ],
  load: remotely(async () => (await import("./follow-pipeline-log.js")).followPipelineLog),
});

const streamGet = command({
  name: "get <nameOrConfigPath>",
  describe: "Show a stream: its definition, its nodes and the state of its sinks",
  positionals: { nameOrConfigPath: streamArgument },
  options: { output: { ...formatOption, default: "yaml" } },
  examples: [["$0 stream get transfers", "all its facts"]],
  load: remotely(async () => (await import("./show-pipelines.js")).getStream),
});

const streamPause = command({
  name: "pause [nameOrConfigPath]",
  describe: "Pause a stream; it keeps its progress",
  positionals: changedStream.positionals,
  options: { file: changedStream.fileOption },
  examples: [["$0 stream pause transfers", "until stream resume"]],
  load: remotely(async () => (await import("./change-streams.js")).pauseStream),
});

const streamResume = command({
  name: "resume [nameOrConfigPath]",
  describe: "Start a stream that is paused or has ended",
  positionals: changedStream.positionals,
  options: { file: changedStream.fileOption },
  examples: [["$0 stream resume transfers", "continues where its sinks are"]],
  load: remotely(async () => (await import("./change-streams.js")).resumeStream),
});

const streamRestart = command({
  name: "restart [nameOrConfigPath]",
  describe: "Stop a stream and start it again",
  positionals: changedStream.positionals,
  options: {
    file: changedStream.fileOption,
    "clear-state": {
      type: "boolean",
      default: false,
      describe: "forget its progress and read its sources from their start",
    },
  },
  examples: [
    ["$0 stream restart transfers", "continues where its sinks are"],
    ["$0 stream restart transfers --clear-state", "reads everything again"],
  ],
  load: remotely(async () => (await import("./change-streams.js")).restartStream),
});

const streamDelete = command({
  name: "delete <nameOrConfigPath>",
  describe: "Delete a stream and its progress; what its sinks hold stays",
  positionals: { nameOrConfigPath: streamArgument },
  options: { force: deleteOption },
  examples: [["$0 stream delete transfers", "asks first in a terminal, and not in a script"]],
  load: remotely(async () => (await import("./change-streams.js")).deleteStream),
});

const streamState = command({
  name: "state <nameOrConfigPath>",
  describe: "Show how far the sinks of a stream are",
  positionals: { nameOrConfigPath: streamArgument },
  options: {
    output: {
      choices: ["json", "yaml"],
      default: "yaml",
      requiresArg: true,
      describe: "format of the document",
    },
  },
  examples: [["$0 stream state transfers", "rows and blocks by sink"]],
  load: remotely(async () => (await import("./show-pipelines.js")).showState),
});

const streamInspect = command({
  name: "inspect <name>",
  describe: "Show rows as they pass the nodes of a stream",
  positionals: { name: streamArgument },
  options: {
    "topology-node-keys": {
      ...textOption,
      alias: "n",
      describe: "only these nodes, separated by commas [default: all]",
    },
    "buffer-size": { ...numberOption, alias: "b", default: 10_000, describe: "rows to keep of each node" },
    print: {
      type: "boolean",
      alias: "p",
      default: false,
      describe: "print rows as JSON lines instead of showing a view; this is usual in a pipe",
    },
  },
  examples: [
    ["$0 stream inspect transfers", "a tab for each node; q quits"],
    ["$0 stream inspect transfers -n large -p > rows.jsonl", "the rows of one node, a line of JSON each"],
  ],
  load: remotely(async () => (await import("./inspect/inspect-stream.js")).inspectStream),
});

/** `stream` */
export const streamCommands = group({
  name: "stream",
  aliases: ["turbo"],
  describe: "Run streams on a server, which bring chain data into databases and other places",
  usage: "$0 stream <command>\n\nRun streams on a server",
  demand: "No command given. Try: graphloom stream apply --help",
  commands: [
    streamApply,
    streamValidate,
    streamList,
    streamGet,
    streamLogs,
    streamInspect,
    streamState,
    streamPause,
    streamResume,
    streamRestart,
    streamDelete,
  ],
});
