import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import { deleteOption, outputOption, subgraphArgument, textOption } from "../terminal/usage/options.js";

const createCommand = command({
  name: "create <nameAndVersion>",
  describe: "Send every change of an entity to an address",
  positionals: { nameAndVersion: subgraphArgument },
  options: {
    name: {
      ...textOption,
      demandOption: "specify a name: --name <name>",
      describe: "name, unique in the project",
    },
    url: {
      ...textOption,
      demandOption: "specify where to send changes: --url <address>",
      describe: "address that receives every change",
    },
    entity: {
      ...textOption,
      demandOption: "specify an entity: --entity <entity>",
      describe:
        "entity; graphloom subgraph webhook list-entities shows them. Subgraphs that a graph-node indexes have no webhooks",
    },
    secret: { ...textOption, describe: "secret sent with every change [default: generated]" },
    "from-start": {
      type: "boolean",
      default: false,
      describe: "also send the data that already exists (graphloom's own server only)",
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
  positionals: { "webhook-name": { type: "string", describe: "name of the webhook" } },
  options: {
    name: { ...textOption, deprecated: "pass the name without --name", describe: "name of the webhook" },
    force: deleteOption,
  },
  examples: [["$0 subgraph webhook delete swaps", "asks first"]],
  load: remotely(async () => (await import("./manage-webhooks.js")).deleteWebhook),
});

const listCommand = command({
  name: "list",
  describe: "List the project's webhooks",
  options: { output: outputOption },
  examples: [["$0 subgraph webhook list --output json", "with their IDs, for scripts"]],
  load: remotely(async () => (await import("./manage-webhooks.js")).listWebhooks),
});

const listEntitiesCommand = command({
  name: "list-entities <nameAndVersion>",
  describe: "List the entities of a subgraph that a webhook can be created for",
  positionals: { nameAndVersion: subgraphArgument },
  options: { output: outputOption },
  examples: [["$0 subgraph webhook list-entities pools/1.0.0", "with the number of rows in each"]],
  load: remotely(async () => (await import("./manage-webhooks.js")).listEntities),
});

/** `subgraph webhook` */
export const webhookCommands = group({
  name: "webhook",
  describe: "Create, list and delete webhooks",
  usage:
    "$0 subgraph webhook <command>\n\nCreate, list and delete webhooks: HTTP requests for every change of an entity",
  demand: "No command given. Try: graphloom subgraph webhook create --help",
  commands: [createCommand, deleteCommand, listCommand, listEntitiesCommand],
});
