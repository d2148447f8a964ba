import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, subgraphArgument, textOption } from "../terminal/options.js";

const createCommand = command({
  name: "create <nameAndVersion>",
  describe: "Have every change of an entity sent to an address",
  positionals: { nameAndVersion: subgraphArgument },
  options: {
    name: {
      ...textOption,
      demandOption: "say how it is called: --name <name>",
      describe: "its name, unique in the project",
    },
    url: {
      ...textOption,
      demandOption: "say where to send changes: --url <address>",
      describe: "where every change is sent to",
    },
    entity: {
      ...textOption,
      demandOption: "say which entity: --entity <entity>",
      describe:
        "the entity; graphloom subgraph webhook list-entities shows them. What a graph-node indexes has no webhooks",
    },
    secret: { ...textOption, describe: "sent along with every change [default: generated]" },
    "from-start": {
      type: "boolean",
      default: false,
      describe: "begin with what is there already (graphloom's own server only)",
    },
    output: outputOption,
  },
  examples: [
    [
      "$0 subgraph webhook create pools/1.0.0 --name swaps --url https://example.com/hook --entity swap",
      "prints its secret once",
    ],
  ],
  load: remotely(async () => (await import("./manage-webhooks.js")).createWebhook),
});

const deleteCommand = command({
  name: "delete [webhook-name]",
  describe: "Delete a webhook",
  positionals: { "webhook-name": { type: "string", describe: "its name" } },
  options: {
    name: { ...textOption, deprecated: "give the name by itself", describe: "its name" },
    force: deleteOption,
  },
  examples: [["$0 subgraph webhook delete swaps", "asks first"]],
  load: remotely(async () => (await import("./manage-webhooks.js")).deleteWebhook),
});

const listCommand = command({
  name: "list",
  describe: "List the project's webhooks",
  options: { output: outputOption },
  examples: [["$0 subgraph webhook list --output json", "with their ids, for a program"]],
  load: remotely(async () => (await import("./manage-webhooks.js")).listWebhooks),
});

const listEntitiesCommand = command({
  name: "list-entities <nameAndVersion>",
  describe: "List the entities of a subgraph that a webhook can be created for",
  positionals: { nameAndVersion: subgraphArgument },
  options: { output: outputOption },
  examples: [["$0 subgraph webhook list-entities pools/1.0.0", "with how many rows each has"]],
  load: remotely(async () => (await import("./manage-webhooks.js")).listEntities),
});

/** `subgraph webhook` */
export const webhookCommands = group({
  name: "webhook",
  describe: "Create, list and delete webhooks",
  usage:
    "$0 subgraph webhook <command>\n\nCreate, list and delete webhooks: calls for every change of an entity",
  demand: "Say what to do: graphloom subgraph webhook create --help",
  commands: [createCommand, deleteCommand, listCommand, listEntitiesCommand],
});
