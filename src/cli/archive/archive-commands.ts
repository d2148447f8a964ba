import { command, group } from "../terminal/command.js";
import {
  archiveOption,
  deleteOption,
  numberOption,
  outputOption,
  textOption,
} from "../terminal/usage/options.js";
import type { Options } from "../terminal/usage/yargs.js";

const folderOption = {
  ...archiveOption,
  describe: "folder of the archive, as for run [default: GRAPHLOOM_ARCHIVE]",
} as const satisfies Options;

const chainOption = {
  ...textOption,
  describe: "only this chain: the name of its network, its id, or its folder [default: all chains]",
} as const satisfies Options;

const listCommand = command({
  name: "list",
  describe: "List the chains of the archive: block ranges, contents and sizes",
  options: { archive: folderOption, output: outputOption },
  examples: [
    [
      "$0 archive list --archive archive",
      "the chains in the folder archive; graphloom archive does the same",
    ],
    ["$0 archive list --output json", "for programs; GRAPHLOOM_ARCHIVE names the folder"],
  ],
  load: async () => (await import("./list-archive.js")).listArchive,
});

const verifyCommand = command({
  name: "verify",
  describe: "Check every file of the archive: checksums, hashes of blocks, logs, answers",
  options: { archive: folderOption, chain: chainOption, output: outputOption },
  examples: [
    ["$0 archive verify --archive archive", "exits with 1 when anything is wrong, and names the files"],
    ["$0 archive verify --chain mainnet", "one chain, by the name of its network"],
  ],
  epilogue:
    "A run checks each file before it uses it, and fetches again what is damaged. To remove what this command refuses: " +
    "graphloom archive prune --damaged",
  load: async () => (await import("./verify-archive.js")).verifyArchive,
});

const pruneCommand = command({
  name: "prune",
  describe: "Remove what the archive does not need: leftovers of crashes, and duplicates",
  options: {
    archive: folderOption,
    chain: chainOption,
    before: { ...numberOption, describe: "remove what ends before this block" },
    damaged: { type: "boolean", default: false, describe: "remove what archive verify refuses" },
    all: {
      type: "boolean",
      default: false,
      describe: "with --chain: remove everything of the chain",
    },
    "dry-run": {
      type: "boolean",
      default: false,
      describe: "show what would be removed, but remove nothing",
    },
    force: deleteOption,
    output: outputOption,
  },
  examples: [
    ["$0 archive prune --archive archive", "removes leftovers, and what others have wholly"],
    ["$0 archive prune --damaged --dry-run", "shows what archive verify refuses, and its size"],
    ["$0 archive prune --chain mainnet --before 18000000", "removes old blocks of one chain"],
    ["$0 archive prune --chain sepolia --all", "removes a chain, and asks first"],
  ],
  epilogue: "Runs fetch the missing parts again when they need them.",
  load: async () => (await import("./prune-archive.js")).pruneArchive,
});

const forgetCommand = command({
  name: "forget",
  describe: "Remove what a source of history gave to the archive",
  options: {
    archive: folderOption,
    chain: chainOption,
    source: {
      ...textOption,
      demandOption: true,
      describe: "source as runs name it, portal=<protocol>://<host>, or portal for all of them",
    },
    "dry-run": {
      type: "boolean",
      default: false,
      describe: "show what would be removed, but remove nothing",
    },
    output: outputOption,
  },
  examples: [
    ["$0 archive forget --source portal", "removes what Portals gave; what nodes gave stays"],
    ["$0 archive forget --source portal=https://portal.example --dry-run", "shows what would be removed"],
  ],
  epilogue: "Runs fetch it again when they need it: see run --source.",
  load: async () => {
    const { pruneArchive } = await import("./prune-archive.js");
    return (args, terminal) => pruneArchive({ ...args, damaged: false, all: false, force: false }, terminal);
  },
});

export const archiveCommands = group({
  name: "archive",
  describe: "Show, check and prune the archive of what runs have read of chains",
  usage:
    "$0 archive [command]\n\nShow, check and prune the archive of what runs have read of chains: see run --archive.\n" +
    "Without a command, list its chains.",
  demand: { usual: "list" },
  commands: [listCommand, verifyCommand, pruneCommand, forgetCommand],
});
