import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import { outputOption, textOption } from "../terminal/usage/options.js";

const placeOptions = {
  database: {
    ...textOption,
    describe:
      "database of the subgraphs: a folder, or postgres://user:password@host/name [default: GRAPHLOOM_DATABASE]",
  },
  data: { ...textOption, describe: "the same as the folder of serve --data" },
  output: outputOption,
} as const;

/** `dump` */
export const dumpCommand = command({
  name: "dump <subgraph> <folder>",
  describe: "Write all that was indexed for a subgraph to a folder, in the format of graph-node's dumps",
  positionals: {
    subgraph: {
      type: "string",
      demandOption: true,
      describe: "<name>/<version> on a server; with a database also <name>, or the id of a deployment, Qm…",
    },
    folder: {
      type: "string",
      demandOption: true,
      describe: "a new folder, or one with an earlier dump, which gets what is new since then",
    },
  },
  options: {
    "graph-node": {
      type: "boolean",
      default: false,
      describe: "read the database of a graph-node, which goes on meanwhile; requires an address",
    },
    ...placeOptions,
  },
  examples: [
    ["$0 dump pools/1.0.0 pools.dump", "a version on the server of the last login"],
    ["$0 dump pools pools.dump --database data", "from the folder of graphloom run --database data"],
    [
      "$0 dump pools/1.0.0 pools.dump --database postgres://…",
      "from the database of a server, which goes on meanwhile",
    ],
    ["$0 dump Qm… pools.dump --data graphloom", "by its id, from the folder of a server that is stopped"],
    ["$0 dump pools pools.dump --graph-node --database postgres://…", "from a graph-node's own database"],
  ],
  epilogue:
    "The folder is complete when the command succeeds; after an interruption, repeat it. " +
    "Without a database, the server of the last login sends the dump. " +
    "To restore it: graphloom restore, or graphman restore of a graph-node",
  load: remotely(async () => (await import("./dump-subgraph.js")).dumpSubgraph),
});

/** `restore` */
export const restoreCommand = command({
  name: "restore <folder>",
  describe: "Restore a dump of graphloom or graph-node, to query it and index it further",
  positionals: {
    folder: { type: "string", demandOption: true, describe: "the folder of the dump" },
  },
  options: {
    name: {
      ...textOption,
      describe: "name by which other commands find it: <name>, or <name>/<version>",
    },
    replace: {
      type: "boolean",
      default: false,
      describe: "drop what the database has of the deployment, once the dump is loaded",
    },
    "graph-node": {
      type: "boolean",
      default: false,
      describe: "load it into the database of a graph-node, which goes on meanwhile; requires an address",
    },
    ...placeOptions,
  },
  examples: [
    [
      "$0 restore pools.dump --database data --name pools",
      "into a folder, which is created if it is missing",
    ],
    ["$0 restore pools.dump --database postgres://… --replace", "in place of what was indexed there"],
    ["$0 restore pools.dump", "on the server of the last login, which was started with --restores"],
    ["$0 restore pools.dump --graph-node --database postgres://…", "into a graph-node's own database"],
  ],
  epilogue:
    "Nothing of the dump can be seen before all of it is loaded and counted. After an interruption, repeat the command: " +
    "it continues. Without a database, the dump is sent to the server of the last login. " +
    "To index it further, run or deploy the same build: graphloom run Qm… --database data",
  load: remotely(async () => (await import("./restore-subgraph.js")).restoreSubgraph),
});
