import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, textOption } from "../terminal/options.js";
import type { Options } from "../terminal/yargs.js";

const nameArgument = { type: "string", demandOption: true, describe: "its name" } as const;

const valueOption = {
  ...textOption,
  describe: "its value as JSON; - for standard input, @<file> for a file: a shell keeps what it is given",
} as const satisfies Options;

const descriptionOption = { ...textOption, describe: "what it is for" } as const satisfies Options;

const createCommand = command({
  name: "create",
  describe: "Keep what a pipeline needs to reach another service, encrypted",
  options: {
    name: { ...textOption, describe: "its name: letters, digits, _ and -" },
    value: valueOption,
    description: descriptionOption,
    output: outputOption,
  },
  examples: [
    ["$0 secret create --name POOLS_DB", "asks for a type, then for its fields"],
    ["$0 secret create --name POOLS_DB --value - < db.json", "takes the value from a file"],
    [
      '$0 secret create --name HOOK --value \'{"type":"httpauth","secretKey":"x-key","secretValue":"…"}\'',
      "asks for nothing",
    ],
  ],
  epilogue: "Types: jdbc, clickHouse, elasticSearch, opensearch, kafka, s3, sqs, pubsub, dynamodb, httpauth.",
  load: remotely(async () => (await import("./change-secrets.js")).createSecret),
});

const listCommand = command({
  name: "list",
  describe: "List the project's secrets, without their values",
  options: { output: outputOption },
  examples: [["$0 secret list", "names, types, and what they are for"]],
  load: remotely(async () => (await import("./show-secrets.js")).listSecrets),
});

const revealCommand = command({
  name: "reveal <name>",
  describe: "Show the value of a secret; the server notes who looked",
  positionals: { name: nameArgument },
  options: { output: outputOption },
  examples: [["$0 secret reveal POOLS_DB --output json", "as secret create takes it"]],
  load: remotely(async () => (await import("./show-secrets.js")).revealSecret),
});

const updateCommand = command({
  name: "update <name>",
  describe: "Change the value or the description of a secret; its type stays",
  positionals: { name: nameArgument },
  options: { value: valueOption, description: descriptionOption },
  examples: [
    ["$0 secret update POOLS_DB --value @db.json", "what uses it takes the new value when it connects"],
  ],
  load: remotely(async () => (await import("./change-secrets.js")).updateSecret),
});

const deleteCommand = command({
  name: "delete <name>",
  describe: "Delete a secret that nothing uses",
  positionals: { name: nameArgument },
  options: { force: deleteOption },
  examples: [["$0 secret delete POOLS_DB", "asks first"]],
  load: remotely(async () => (await import("./change-secrets.js")).deleteSecret),
});

/** `secret` */
export const secretCommands = group({
  name: "secret",
  describe: "Keep secrets for pipelines",
  usage: "$0 secret <command>\n\nKeep secrets for pipelines",
  demand: "Say what to do: graphloom secret create --help",
  commands: [createCommand, listCommand, revealCommand, updateCommand, deleteCommand],
});
