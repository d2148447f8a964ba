import { remotely } from "../remote/remotely.js";
import { outputOption, subgraphArgument } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv } from "../terminal/yargs.js";

/** Adds the group `webhook` to the group `subgraph`. */
export function addWebhooks(group: Argv, terminal: Terminal, done: (code: number) => void): void {
  const modules = () => import("./manage-webhooks.js");
  const text = { type: "string", requiresArg: true } as const;
  group.command("webhook", "Create, list and delete webhooks", (webhooks) =>
    webhooks
      .usage(
        "$0 subgraph webhook <command>\n\nCreate, list and delete webhooks: calls for every change of an entity",
      )
      .command(
        "create <nameAndVersion>",
        "Have every change of an entity sent to an address",
        (command) =>
          command
            .positional("nameAndVersion", subgraphArgument)
            .option("name", {
              ...text,
              demandOption: "say how it is called: --name <name>",
              describe: "its name, unique in the project",
            })
            .option("url", {
              ...text,
              demandOption: "say where to send changes: --url <address>",
              describe: "where every change is sent to",
            })
            .option("entity", {
              ...text,
              demandOption: "say which entity: --entity <entity>",
              describe: "the entity; graphloom subgraph webhook list-entities shows them",
            })
            .option("secret", { ...text, describe: "sent along with every change [default: generated]" })
            .example(
              "$0 subgraph webhook create pools/1.0.0 --name swaps --url https://example.com/hook --entity swap",
              "prints its secret once",
            ),
        (args) =>
          remotely(terminal, done, async () => {
            const { createWebhook } = await modules();
            return () => createWebhook(args as unknown as Parameters<typeof createWebhook>[0], terminal);
          }),
      )
      .command(
        "delete [webhook-name]",
        "Delete a webhook",
        (command) =>
          command
            .positional("webhook-name", { type: "string", describe: "its name" })
            .option("name", { ...text, deprecated: "give the name by itself", describe: "its name" })
            .option("force", {
              type: "boolean",
              alias: "f",
              default: false,
              describe: "delete without asking",
            })
            .example("$0 subgraph webhook delete swaps", "asks first"),
        (args) =>
          remotely(terminal, done, async () => {
            const { deleteWebhook } = await modules();
            return () => deleteWebhook(args as unknown as Parameters<typeof deleteWebhook>[0], terminal);
          }),
      )
      .command(
        "list",
        "List the project's webhooks",
        (command) =>
          command
            .option("output", outputOption)
            .example("$0 subgraph webhook list --output json", "with their ids, for a program"),
        (args) =>
          remotely(terminal, done, async () => {
            const { listWebhooks } = await modules();
            return () => listWebhooks(args as unknown as Parameters<typeof listWebhooks>[0], terminal);
          }),
      )
      .command(
        "list-entities <nameAndVersion>",
        "List the entities of a subgraph that a webhook can be created for",
        (command) =>
          command
            .positional("nameAndVersion", subgraphArgument)
            .option("output", outputOption)
            .example("$0 subgraph webhook list-entities pools/1.0.0", "with how many rows each has"),
        (args) =>
          remotely(terminal, done, async () => {
            const { listEntities } = await modules();
            return () => listEntities(args as unknown as Parameters<typeof listEntities>[0], terminal);
          }),
      )
      .demandCommand(1, "Say what to do: graphloom subgraph webhook create --help"),
  );
}
