import { remotely } from "../remote/remotely.js";
import { command } from "../terminal/command.js";
import {
  deleteOption,
  numberOption,
  outputOption,
  subgraphArgument,
  textOption,
} from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

const endpointOption = { choices: ["enabled", "disabled"], requiresArg: true } as const satisfies Options;

/** `subgraph delete`, `pause`, `start`, `rewind` and `update` */
export const managementCommands = [
  command({
    name: "delete <nameAndVersion>",
    describe: "Delete a deployed version with all its data; a graph-node removes its data some hours later",
    positionals: { nameAndVersion: subgraphArgument },
    options: { force: deleteOption },
    examples: [["$0 subgraph delete pools/1.0.0", "asks first; delete its tags and webhooks before"]],
    load: remotely(async () => (await import("./manage-subgraph.js")).deleteSubgraph),
  }),
  command({
    name: "pause <nameAndVersion>",
    describe: "Stop indexing; indexed data can still be queried",
    positionals: { nameAndVersion: subgraphArgument },
    examples: [["$0 subgraph pause pools/1.0.0", "to resume: graphloom subgraph start pools/1.0.0"]],
    load: remotely(async () => (await import("./manage-subgraph.js")).pauseSubgraph),
  }),
  command({
    name: "start <nameAndVersion>",
    describe: "Resume indexing after a pause",
    positionals: { nameAndVersion: subgraphArgument },
    examples: [["$0 subgraph start pools/1.0.0", "from the block where it was paused"]],
    load: remotely(async () => (await import("./manage-subgraph.js")).startSubgraph),
  }),
  command({
    name: "rewind <nameAndVersion>",
    describe: "Take a version back to a block, and index the blocks after it again",
    positionals: { nameAndVersion: subgraphArgument },
    options: {
      block: { ...numberOption, demandOption: true, describe: "block that is the last one then" },
      hash: { ...textOption, describe: "its hash: nothing is changed if the chain has another block" },
      "dry-run": {
        type: "boolean",
        default: false,
        describe: "say what happens to entities, queries, webhooks and pipelines, and change nothing",
      },
      yes: { type: "boolean", alias: "y", default: false, describe: "rewind without asking" },
      output: outputOption,
    },
    examples: [
      ["$0 subgraph rewind pools/1.0.0 --block 19000000", "says what happens, and asks"],
      ["$0 subgraph rewind pools/1.0.0 --block 19000000 --dry-run --output json", "for a program"],
    ],
    load: remotely(async () => (await import("./rewind-subgraph.js")).rewindSubgraph),
  }),
  command({
    name: "update <nameAndVersion>",
    describe: "Change the endpoints or the description of a version or a tag",
    positionals: {
      nameAndVersion: { ...subgraphArgument, describe: "<name>/<version> or <name>/<tag>" },
    },
    options: {
      "public-endpoint": { ...endpointOption, describe: "whether anyone can query it" },
      "private-endpoint": { ...endpointOption, describe: "whether it can be queried with a token" },
      description: { ...textOption, describe: "at most 500 characters" },
    },
    examples: [
      [
        "$0 subgraph update pools/1.0.0 --public-endpoint disabled --private-endpoint enabled",
        "queries then require a token",
      ],
    ],
    load: remotely(async () => (await import("./manage-subgraph.js")).updateSubgraph),
  }),
] as const;
