import { command, group } from "../terminal/command.js";
import {
  archiveOption,
  numberOption,
  offlineOption,
  patienceOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/options.js";

/** Where the tables are. */
const placeOptions = {
  database: {
    ...textOption,
    describe:
      "database of the service: postgres://user:password@host/name, or a folder [default: GRAPHLOOM_DATABASE]",
  },
  data: { ...textOption, describe: "the same as the folder of serve --data" },
} as const;

const syncCommand = command({
  name: "sync",
  describe: "Fill the tables of the data service from nodes or an archive, and keep them fresh",
  options: {
    chains: {
      ...textOption,
      demandOption: true,
      describe: "chains to read, separated by commas, such as ethereum,base",
    },
    from: {
      ...numberOption,
      describe: "first block of chains that are new to the database [default: 0]",
    },
    to: { ...numberOption, describe: "last block; without it, the command follows the chains' heads" },
    natives: {
      type: "boolean",
      default: true,
      describe: "also read transfers of native coins, which takes the receipts of every block",
    },
    ...placeOptions,
    rpc: {
      ...textsOption,
      describe:
        "node of a chain: <network>=<url>, or the URL alone if there is one chain [default: GRAPHLOOM_RPC_<NETWORK>]",
    },
    archive: archiveOption,
    offline: offlineOption,
    patience: patienceOption,
    verify: verifyOption,
  },
  groups: {
    "Storage:": ["database", "data", "archive"],
    "Sources:": ["chains", "from", "to", "natives", "rpc", "offline", "patience", "verify"],
  },
  examples: [
    [
      "$0 data sync --chains ethereum --from 21000000 --rpc https://… --database postgres://…",
      "from a block on, and then new blocks as they come",
    ],
    [
      "$0 data sync --chains ethereum,base --to 21000000 --archive archive --offline --data platform",
      "from an archive, up to a block",
    ],
  ],
  epilogue:
    "Each table continues where it ended, whenever the command is stopped. Reorganisations are followed. It requires DuckDB: " +
    "npm install @duckdb/node-api",
  load: async () => (await import("./sync-data.js")).syncData,
});

/** `data` */
export const dataCommands = group({
  name: "data",
  describe: "Fill the tables of the data service: blocks, transfers and balances",
  usage: "$0 data <command>\n\nFill the tables of the data service: blocks, transfers and balances",
  demand: "No command given. Try: graphloom data sync --help",
  commands: [syncCommand],
});
