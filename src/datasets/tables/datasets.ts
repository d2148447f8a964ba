import {
  blockColumns,
  decodedLogColumns,
  erc20Columns,
  erc721Columns,
  erc1155Columns,
  logColumns,
  traceColumns,
  transactionColumns,
} from "./columns.js";
import type { Dataset, DatasetKind } from "./dataset.js";
import { examples } from "./examples.js";

export const datasets: Readonly<Record<DatasetKind, Dataset>> = {
  raw_blocks: {
    kind: "raw_blocks",
    aliases: ["blocks"],
    version: "1.0.0",
    group: "raw",
    description: "Block headers.",
    columns: blockColumns,
    needs: [],
    example: examples.raw_blocks,
  },
  raw_transactions: {
    kind: "raw_transactions",
    aliases: ["transactions"],
    version: "1.0.0",
    group: "raw",
    description: "Transactions, with the fields of their receipts.",
    columns: transactionColumns,
    needs: ["receipts"],
    example: examples.raw_transactions,
  },
  raw_logs: {
    kind: "raw_logs",
    aliases: ["logs"],
    version: "1.0.0",
    group: "raw",
    description: "Logs, as contracts emitted them.",
    columns: logColumns,
    needs: [],
    example: examples.raw_logs,
  },
  raw_traces: {
    kind: "raw_traces",
    aliases: ["traces"],
    version: "1.1.0",
    group: "raw",
    description:
      "Calls, contract creations and self-destructions inside transactions, and block rewards if the node reports them.",
    columns: traceColumns,
    needs: ["traces"],
    example: examples.raw_traces,
  },
  decoded_logs: {
    kind: "decoded_logs",
    aliases: [],
    version: "1.0.0",
    group: "decoded",
    description: "Logs, decoded with your ABIs. Logs of events that are in none of the ABIs are left out.",
    columns: decodedLogColumns,
    needs: ["ABI"],
    example: examples.decoded_logs,
  },
  erc20_transfers: {
    kind: "erc20_transfers",
    aliases: [],
    version: "1.2.0",
    group: "transfers",
    description: "Transfers of ERC-20 tokens: Transfer events with two indexed parameters.",
    columns: erc20Columns,
    needs: [],
    example: examples.erc20_transfers,
  },
  erc721_transfers: {
    kind: "erc721_transfers",
    aliases: [],
    version: "1.0.0",
    group: "transfers",
    description: "Transfers of ERC-721 tokens: Transfer events with three indexed parameters.",
    columns: erc721Columns,
    needs: [],
    example: examples.erc721_transfers,
  },
  erc1155_transfers: {
    kind: "erc1155_transfers",
    aliases: [],
    version: "1.0.0",
    group: "transfers",
    description: "Transfers of ERC-1155 tokens, with a row for each token in a batch whose amount is not 0.",
    columns: erc1155Columns,
    needs: [],
    example: examples.erc1155_transfers,
  },
};

/** Finds a dataset by its kind or an alias. */
export function datasetNamed(name: string): Dataset | undefined {
  return Object.values(datasets).find(({ kind, aliases }) => kind === name || aliases.includes(name));
}
