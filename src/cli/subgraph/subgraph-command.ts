import { addDeploy } from "../deploy/deploy-command.js";
import { addInit } from "../init/init-command.js";
import { remotely } from "../remote/remotely.js";
import { outputOption, subgraphArgument } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import type { Argv, Options } from "../terminal/yargs.js";
import { addWebhooks } from "./webhook-command.js";

const endpoint = { choices: ["enabled", "disabled"], requiresArg: true } as const satisfies Options;

const force = {
  type: "boolean",
  alias: "f",
  default: false,
  describe: "delete without asking",
} as const satisfies Options;

const tag = {
  type: "string",
  alias: "t",
  demandOption: "say which tag: --tag <tag>",
  requiresArg: true,
  describe: "the tag; several separated by commas",
} as const satisfies Options;

/** Adds the group `subgraph` to the commands. */
export function addSubgraph(program: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return program.command("subgraph", "Generate, deploy and manage subgraphs", (group) => {
    const plain = group as Argv;
    addInit(plain, terminal, done);
    addDeploy(plain, terminal, done);
    addList(plain, terminal, done);
    addManagement(plain, terminal, done);
    addTags(plain, terminal, done);
    addWebhooks(plain, terminal, done);
    return addLog(plain, terminal, done)
      .usage("$0 subgraph <command>\n\nGenerate, deploy and manage subgraphs")
      .demandCommand(1, "Say what to do: graphloom subgraph deploy --help");
  });
}

function addList(group: Argv, terminal: Terminal, done: (code: number) => void): void {
  group.command(
    "list [nameAndVersion]",
    "List deployed subgraphs and tags",
    (command) =>
      command
        .positional("nameAndVersion", { type: "string", describe: "only this <name> or <name>/<version>" })
        .option("filter", {
          choices: ["tags", "deployments"],
          requiresArg: true,
          describe: "only tags, or only deployed versions",
        })
        .option("summary", { type: "boolean", default: false, describe: "one line each" })
        .option("output", outputOption)
        .example("$0 subgraph list --summary", "all of the project, a line each")
        .example("$0 subgraph list pools --output json", "all versions and tags of one, for a program"),
    (args) =>
      remotely(terminal, done, async () => {
        const { listSubgraphs } = await import("./list-subgraphs.js");
        return () => listSubgraphs(args as unknown as Parameters<typeof listSubgraphs>[0], terminal);
      }),
  );
}

function addManagement(group: Argv, terminal: Terminal, done: (code: number) => void): void {
  const modules = () => import("./manage-subgraph.js");
  group
    .command(
      "delete <nameAndVersion>",
      "Delete a deployed version with all its data",
      (command) =>
        command
          .positional("nameAndVersion", subgraphArgument)
          .option("force", force)
          .example("$0 subgraph delete pools/1.0.0", "asks first; tags and webhooks must be gone"),
      (args) =>
        remotely(terminal, done, async () => {
          const { deleteSubgraph } = await modules();
          return () => deleteSubgraph(args as unknown as Parameters<typeof deleteSubgraph>[0], terminal);
        }),
    )
    .command(
      "pause <nameAndVersion>",
      "Stop indexing; what is there can still be queried",
      (command) =>
        command
          .positional("nameAndVersion", subgraphArgument)
          .example("$0 subgraph pause pools/1.0.0", "until: graphloom subgraph start pools/1.0.0"),
      (args) =>
        remotely(terminal, done, async () => {
          const { pauseSubgraph } = await modules();
          return () => pauseSubgraph(args as unknown as Parameters<typeof pauseSubgraph>[0], terminal);
        }),
    )
    .command(
      "start <nameAndVersion>",
      "Go on with indexing after a pause",
      (command) =>
        command
          .positional("nameAndVersion", subgraphArgument)
          .example("$0 subgraph start pools/1.0.0", "from the block it was paused at"),
      (args) =>
        remotely(terminal, done, async () => {
          const { startSubgraph } = await modules();
          return () => startSubgraph(args as unknown as Parameters<typeof startSubgraph>[0], terminal);
        }),
    )
    .command(
      "update <nameAndVersion>",
      "Change the endpoints or the description of a version or a tag",
      (command) =>
        command
          .positional("nameAndVersion", { ...subgraphArgument, describe: "<name>/<version> or <name>/<tag>" })
          .option("public-endpoint", { ...endpoint, describe: "whether everybody can query it" })
          .option("private-endpoint", { ...endpoint, describe: "whether it can be queried with a token" })
          .option("description", { type: "string", requiresArg: true, describe: "at most 500 characters" })
          .example(
            "$0 subgraph update pools/1.0.0 --public-endpoint disabled --private-endpoint enabled",
            "only with a token",
          ),
      (args) =>
        remotely(terminal, done, async () => {
          const { updateSubgraph } = await modules();
          return () => updateSubgraph(args as unknown as Parameters<typeof updateSubgraph>[0], terminal);
        }),
    );
}

function addTags(group: Argv, terminal: Terminal, done: (code: number) => void): void {
  const modules = () => import("./manage-subgraph.js");
  group.command("tag", "Create, move and delete tags", (tags) =>
    tags
      .usage("$0 subgraph tag <command>\n\nCreate, move and delete tags: names that point to a version")
      .command(
        "create <nameAndVersion>",
        "Make a tag point to a version, wherever it pointed before",
        (command) =>
          command
            .positional("nameAndVersion", subgraphArgument)
            .option("tag", tag)
            .example(
              "$0 subgraph tag create pools/1.0.0 --tag prod",
              "pools/prod is pools/1.0.0 from now on",
            ),
        (args) =>
          remotely(terminal, done, async () => {
            const { createTag } = await modules();
            return () => createTag(args as unknown as Parameters<typeof createTag>[0], terminal);
          }),
      )
      .command(
        "delete <nameAndVersion>",
        "Delete a tag; the version it points to stays",
        (command) =>
          command
            .positional("nameAndVersion", subgraphArgument)
            .option("tag", tag)
            .option("force", force)
            .example("$0 subgraph tag delete pools/1.0.0 --tag prod", "asks first"),
        (args) =>
          remotely(terminal, done, async () => {
            const { deleteTag } = await modules();
            return () => deleteTag(args as unknown as Parameters<typeof deleteTag>[0], terminal);
          }),
      )
      .demandCommand(1, "Say what to do: graphloom subgraph tag create --help"),
  );
}

function addLog(group: Argv, terminal: Terminal, done: (code: number) => void): Argv {
  return group.command(
    "log <nameAndVersion>",
    "Show the log of a subgraph and follow it until interrupted",
    (command) =>
      command
        .positional("nameAndVersion", subgraphArgument)
        .option("since", {
          type: "string",
          default: "1m",
          requiresArg: true,
          describe: "how far back to begin: now, 5s, 2m, 3h",
        })
        .option("format", {
          choices: ["pretty", "json", "text"],
          default: "text",
          requiresArg: true,
          describe: "with colours and whole messages, a JSON object per line, or a line of text each",
        })
        .option("filter", {
          choices: ["error", "warn", "info", "debug"],
          default: "info",
          requiresArg: true,
          describe: "the least serious level to show",
        })
        .option("levels", {
          type: "string",
          requiresArg: true,
          describe: "exactly these levels, separated by commas; wins over --filter",
        })
        .option("interval", {
          type: "number",
          default: 5,
          requiresArg: true,
          describe: "seconds between two looks at the log",
        })
        .option("follow", {
          type: "boolean",
          default: true,
          describe: "wait for more; --no-follow ends with what there is",
        })
        .example("$0 subgraph log pools/1.0.0 --since 1h --filter warn", "warnings and errors")
        .example(
          "$0 subgraph log pools/1.0.0 --levels error,debug --format json --no-follow",
          "for a program",
        ),
    (args) =>
      remotely(terminal, done, async () => {
        const { followLog } = await import("./follow-log.js");
        return () => followLog(args as unknown as Parameters<typeof followLog>[0], terminal);
      }),
  );
}
