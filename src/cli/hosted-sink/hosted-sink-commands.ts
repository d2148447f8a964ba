import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, textOption } from "../terminal/usage/options.js";

const createCommand = command({
  name: "create",
  describe: "Create a database on the server, and store its credentials as a secret",
  options: {
    type: { choices: ["postgres"], demandOption: true, requiresArg: true, describe: "kind of database" },
    name: { ...textOption, describe: "name of the secret; by default HOSTED_POSTGRES_ and random letters" },
    description: { ...textOption, describe: "what the database is used for" },
    output: outputOption,
  },
  examples: [["$0 hosted-sink create --type postgres", "prints the name for secret_name"]],
  load: remotely(async () => (await import("./change-hosted-sinks.js")).createHostedSink),
});

const deleteCommand = command({
  name: "delete <name>",
  describe: "Delete a database that hosted-sink create made, with all its rows and its secret",
  positionals: { name: { type: "string", demandOption: true, describe: "name of the secret" } },
  options: { force: deleteOption },
  examples: [["$0 hosted-sink delete HOSTED_POSTGRES_QWERTYUI", "asks first"]],
  load: remotely(async () => (await import("./change-hosted-sinks.js")).deleteHostedSink),
});

export const hostedSinkCommands = group({
  name: "hosted-sink",
  describe: "Manage databases of the server that pipelines write to",
  usage: "$0 hosted-sink <command>\n\nManage databases of the server that pipelines write to",
  demand: "No command given. Try: graphloom hosted-sink create --type postgres",
  commands: [createCommand, deleteCommand],
});
