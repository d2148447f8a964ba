import { command, group } from "../terminal/command.js";
import {
  archiveOption,
  networkNodesOption,
  numberOption,
  offlineOption,
  outputOption,
  patienceOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/usage/options.js";

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
    "refresh-tokens": {
      type: "boolean",
      default: false,
      describe:
        "ask the contracts of all tokens again for their names and decimals, not only those asked a day ago",
    },
    ...placeOptions,
    clickhouse: {
      ...textOption,
      describe:
        "keep blocks and transfers in ClickHouse: https://user:password@host:8443/database [default: GRAPHLOOM_CLICKHOUSE]",
    },
    rpc: networkNodesOption,
    archive: archiveOption,
    offline: offlineOption,
    patience: patienceOption,
    verify: verifyOption,
  },
  groups: {
    "Storage:": ["database", "data", "clickhouse", "archive"],
    "Sources:": ["chains", "from", "to", "natives", "refresh-tokens", "rpc", "offline", "patience", "verify"],
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

const filledClickHouseOption = {
  ...textOption,
  describe:
    "where data sync keeps blocks and transfers in ClickHouse: https://user:password@host:8443/database [default: GRAPHLOOM_CLICKHOUSE]",
} as const;

const serveCommand = command({
  name: "serve",
  describe: "Answer requests about blocks, wallets and a market from the tables",
  options: {
    ...placeOptions,
    clickhouse: filledClickHouseOption,
    market: {
      ...textOption,
      describe:
        "subgraph that indexes a market: <name>, <name>/<version> or a deployment id; without it, requests about a market are refused",
    },
    rpc: {
      ...textsOption,
      describe:
        "node of a chain, for balances: <network>=<url>; may be repeated [default: GRAPHLOOM_RPC_<NETWORK> of the chains that are filled]",
    },
    port: { ...numberOption, default: 8040, describe: "port to listen on; 0 picks a free one" },
    host: {
      ...textOption,
      default: "127.0.0.1",
      describe: "address to listen on; 0.0.0.0 for all addresses of this machine",
    },
    "public-address": {
      ...textOption,
      describe: "address that clients use, if it is a different one: https://data.example.com",
    },
    prices: {
      ...textOption,
      describe:
        "address of a source of prices that the tables lack, with {chain} or {chain_id}, and {tokens}; none by default",
    },
    "price-window": {
      ...numberOption,
      default: 240,
      describe: "minutes after which a price is too old to be shown",
    },
    "time-limit": {
      ...numberOption,
      default: 10,
      describe: "seconds that the database may take for a statement",
    },
  },
  examples: [
    ["$0 data serve --database postgres://…", "from the tables that data sync fills"],
    ["$0 data serve --database postgres://… --market market/1.0.0", "with the market that a subgraph keeps"],
    [
      "$0 data serve --database postgres://… --host 0.0.0.0 --public-address https://data.example.com",
      "behind a proxy that holds the certificate",
    ],
  ],
  epilogue:
    "Requests need the API key in GRAPHLOOM_DATA_SERVICE_KEY. Without it, each start makes a new key and shows it. The explorer is at /docs.",
  load: async () => (await import("./serve-data.js")).serveDataService,
});

const importCommand = command({
  name: "import <file>",
  describe: "Import prices, facts about tokens, or names of addresses, from CSV, JSON or Parquet",
  positionals: {
    file: {
      ...textOption,
      demandOption: true,
      describe: "CSV with a header line, a JSON list of objects, or Parquet; - for standard input",
    },
  },
  options: {
    chain: { ...textOption, describe: "chain of rows that name none" },
    ...placeOptions,
  },
  examples: [
    ["$0 data import prices.csv --database postgres://…", "columns: chain, token, time, usd, source"],
    [
      "$0 data import tokens.csv --database postgres://…",
      "columns: chain, token, symbol, name, decimals, logo_url, canonical_id, stable",
    ],
    ["$0 data import labels.csv --chain base --data platform", "columns: chain, address, label"],
  ],
  epilogue:
    "Rows replace those with the same key. Either all rows are imported, or none. Parquet requires DuckDB: npm install @duckdb/node-api",
  load: async () => (await import("./import-data.js")).importData,
});

const auditCommand = command({
  name: "audit",
  describe: "Compare the sums of transfers with the balances that tokens tell, and mark tokens that differ",
  options: {
    chain: { ...textOption, demandOption: true, describe: "chain whose tables are compared" },
    wallets: { ...numberOption, default: 100, describe: "wallets to draw, 1 to 10000" },
    seed: { ...textOption, default: "1", describe: "draws the same wallets for the same seed" },
    tokens: {
      ...textOption,
      describe: "only these tokens, separated by commas: addresses of their contracts",
    },
    unmark: {
      type: "boolean",
      default: false,
      describe: "remove the marks of tokens that agree now",
    },
    rpc: {
      ...textsOption,
      describe: "node of the chain: a URL, or <network>=<url> [default: GRAPHLOOM_RPC_<NETWORK>]",
    },
    ...placeOptions,
    clickhouse: filledClickHouseOption,
    output: outputOption,
  },
  examples: [
    ["$0 data audit --chain ethereum --rpc https://… --database postgres://…", "a hundred wallets"],
    [
      "$0 data audit --chain ethereum --wallets 1000 --seed 2 --rpc https://… --output json",
      "a thousand others, as JSON for a program",
    ],
  ],
  epilogue:
    "The exit code is 4 if any token differs. Marked tokens answer from the node, or are left out without one.",
  load: async () => (await import("./audit-data.js")).auditData,
});

export const dataCommands = group({
  name: "data",
  describe: "Run the data service: blocks, what wallets hold and moved, and a market",
  usage: "$0 data <command>\n\nRun the data service: blocks, what wallets hold and moved, and a market",
  demand: "No command given. Try: graphloom data sync --help",
  commands: [syncCommand, serveCommand, auditCommand, importCommand],
});
