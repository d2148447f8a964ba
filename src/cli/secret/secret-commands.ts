import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, textOption } from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

const nameArgument = { type: "string", demandOption: true, describe: "name of the secret" } as const;

const valueOption = {
  ...textOption,
  describe:
    "value as JSON, or a connection string; - reads standard input and @<file> reads a file, which keep it out of the shell's history",
} as const satisfies Options;

const descriptionOption = {
  ...textOption,
  describe: "what the secret is used for",
} as const satisfies Options;

const createCommand = command({
  name: "create",
  describe: "Store, encrypted, the credentials that a pipeline needs to reach another service",
  options: {
    name: { ...textOption, describe: "name: letters, digits, _ and -" },
    value: valueOption,
    description: descriptionOption,
    output: outputOption,
  },
  examples: [
    ["$0 secret create --name POOLS_DB", "asks for a type, then for its fields"],
    ["$0 secret create --name POOLS_DB --value - < db.json", "takes the value from a file"],
    [
      "$0 secret create --name POOLS_DB --value postgres://user:password@host/pools",
      "a secret of the type jdbc",
    ],
    [
      '$0 secret create --name HOOK --value \'{"type":"httpauth","secretKey":"x-key","secretValue":"…"}\'',
      "asks no questions",
    ],
  ],
  epilogue: "Types: jdbc, clickHouse, elasticSearch, opensearch, kafka, s3, sqs, pubsub, dynamodb, httpauth.",
  load: remotely(async () => (await import("./change-secrets.js")).createSecret),
});

const listCommand = command({
  name: "list",
  describe: "List the project's secrets, without their values",
  options: { output: outputOption },
  examples: [["$0 secret list", "names, types and descriptions"]],
  load: remotely(async () => (await import("./show-secrets.js")).listSecrets),
});

const revealCommand = command({
  name: "reveal <name>",
  describe: "Show the value of a secret; the server records who read it",
  positionals: { name: nameArgument },
  options: { output: outputOption },
  examples: [["$0 secret reveal POOLS_DB --output json", "in the form that secret create accepts"]],
  load: remotely(async () => (await import("./show-secrets.js")).revealSecret),
});

const updateCommand = command({
  name: "update <name>",
  describe: "Change the value or the description of a secret; its type stays the same",
  positionals: { name: nameArgument },
  options: { value: valueOption, description: descriptionOption },
  examples: [["$0 secret update POOLS_DB --value @db.json", "takes effect at the next connection"]],
  load: remotely(async () => (await import("./change-secrets.js")).updateSecret),
});

const deleteCommand = command({
  name: "delete <name>",
  describe: "Delete a secret that is not in use",
  positionals: { name: nameArgument },
  options: { force: deleteOption },
  examples: [["$0 secret delete POOLS_DB", "asks first"]],
  load: remotely(async () => (await import("./change-secrets.js")).deleteSecret),
});

export const secretCommands = group({
  name: "secret",
  describe: "Manage secrets for pipelines",
  usage: "$0 secret <command>\n\nManage secrets for pipelines",
  demand: "No command given. Try: graphloom secret create --help",
  commands: [createCommand, listCommand, revealCommand, updateCommand, deleteCommand],
});
