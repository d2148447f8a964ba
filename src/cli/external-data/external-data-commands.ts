import { remotely } from "../remote/remotely.js";
import { command, group } from "../terminal/command.js";
import type { Terminal } from "../terminal/terminal.js";
import {
  archiveOption,
  numberOption,
  outputOption,
  patienceOption,
  textOption,
  textsOption,
  verifyOption,
} from "../terminal/usage/options.js";
import type { SyncArguments } from "./sync-arguments.js";

const networkOption = {
  ...textOption,
  default: "ethereum",
  describe: "chain, by its name in datasets, another known name, or the name of a local chain such as anvil",
} as const;

const contractOption = {
  ...textOption,
  default: "",
  describe: "only logs of this contract",
} as const;

const logSourceOption = {
  ...textsOption,
  describe:
    "service that serves final blocks faster than the node, for the logs of a contract: portal=<url> or hypersync=<url>; without <url> for SQD's public Portal or Envio's HyperSync [default: none]",
} as const;

const shared = {
  rpc: {
    ...textsOption,
    describe: "node of the chain, <network>=<url> or the URL alone [default: GRAPHLOOM_RPC_<NETWORK>]",
  },
  server: {
    type: "boolean",
    default: false,
    describe: "read from the server of the last login, or of --api-url, instead of a node",
  },
  archive: archiveOption,
  offline: {
    type: "boolean",
    default: false,
    describe: "read only from the archive, and send no request to a node",
  },
  "from-block": { ...numberOption, default: 0, describe: "first block" },
  "to-block": { ...numberOption, describe: "last block [default: the newest final block]" },
  out: { ...textOption, default: "./data", describe: "folder to write the files to" },
  "blocks-per-file": {
    ...numberOption,
    describe: "blocks per file [default: that of the folder, or 10000; 1000 for all logs or transactions]",
  },
  "requests-per-second": {
    ...numberOption,
    describe: "maximum number of requests per second to the node [default: no limit]",
  },
  "max-requests": {
    ...numberOption,
    describe: "stop after this many requests to the node; the same command continues [default: no limit]",
  },
  patience: patienceOption,
  verify: verifyOption,
} as const;

const example = "--rpc http://127.0.0.1:8545";

const decodedLogsCommand = command({
  name: "decoded-logs",
  describe: "Write a contract's logs, decoded with your ABI, as Parquet files",
  options: {
    "contract-address": contractOption,
    network: networkOption,
    source: logSourceOption,
    abi: {
      ...textsOption,
      describe: "ABI with the events to decode: a file, or <address>=<file>; may be repeated",
    },
    ...shared,
  },
  examples: [
    [
      `$0 external-data sync decoded-logs --contract-address 0x… --abi token.json ${example}`,
      "the logs of one contract",
    ],
  ],
  load: remotely(async () => {
    const { syncDataset } = await import("./sync-dataset.js");
    return (args: SyncArguments, terminal: Terminal) => syncDataset("decoded_logs", args, terminal);
  }),
});

const rawBlocksCommand = command({
  name: "raw-blocks",
  describe: "Write block headers as Parquet files",
  options: { network: networkOption, ...shared },
  examples: [[`$0 external-data sync raw-blocks ${example}`, "all final blocks of Ethereum"]],
  load: remotely(async () => {
    const { syncDataset } = await import("./sync-dataset.js");
    return (args: SyncArguments, terminal: Terminal) => syncDataset("raw_blocks", args, terminal);
  }),
});

const rawLogsCommand = command({
  name: "raw-logs",
  describe: "Write the logs of all contracts, or of one, as Parquet files",
  options: { "contract-address": contractOption, source: logSourceOption, network: networkOption, ...shared },
  examples: [
    [`$0 external-data sync raw-logs --network base --from-block 20000000 ${example}`, "logs of Base"],
  ],
  load: remotely(async () => {
    const { syncDataset } = await import("./sync-dataset.js");
    return (args: SyncArguments, terminal: Terminal) => syncDataset("raw_logs", args, terminal);
  }),
});

const rawTransactionsCommand = command({
  name: "raw-transactions",
  describe: "Write transactions with their receipts as Parquet files",
  options: { network: networkOption, ...shared },
  examples: [
    [`$0 external-data sync raw-transactions --to-block 999 ${example}`, "transactions of 1,000 blocks"],
  ],
  load: remotely(async () => {
    const { syncDataset } = await import("./sync-dataset.js");
    return (args: SyncArguments, terminal: Terminal) => syncDataset("raw_transactions", args, terminal);
  }),
});

const syncCommands = group({
  name: "sync",
  describe: "Write a dataset as Parquet files, and continue where the last run ended",
  usage:
    "$0 external-data sync <dataset>\n\nWrite a dataset as Parquet files, and continue where the last run ended",
  demand: "No dataset given. Try: graphloom external-data sync raw-blocks --help",
  commands: [decodedLogsCommand, rawBlocksCommand, rawLogsCommand, rawTransactionsCommand],
});

const verifyCommand = command({
  name: "verify",
  describe: "Check files that sync has written, and show what was proved of them",
  options: { out: { ...shared.out, describe: "folder with the files" }, output: outputOption },
  examples: [
    ["$0 external-data verify", "all datasets below ./data; exits with 1 when a file is damaged"],
    ["$0 external-data verify --out /srv/data --output json", "for programs"],
  ],
  load: async () => (await import("./verify-files.js")).verifyFiles,
});

export const externalDataCommands = group({
  name: "external-data",
  describe: "Write chain data as Parquet files on this machine",
  usage: "$0 external-data <command>\n\nWrite chain data as Parquet files on this machine",
  demand: "No command given. Try: graphloom external-data sync --help",
  commands: [syncCommands, verifyCommand],
});
