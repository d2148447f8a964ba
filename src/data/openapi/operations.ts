import type { Parameters } from "../answers/parameters.js";
import { blockConflicts, blockParameters } from "../blocks/block-parameters.js";
import {
  activityParameters,
  marketBalanceParameters,
  mostUnfiltered,
  positionParameters,
  widestBlocks,
  widestSeconds,
} from "../markets/market-parameters.js";
import { balanceParameters, transferParameters } from "../wallets/wallet-parameters.js";
import type { Operation } from "./operation.js";

const chain: Parameters = {
  chain: {
    type: "string",
    required: true,
    example: "ethereum",
    description:
      "name of the chain in the block service, such as ethereum, base or matic; /status lists the filled ones",
  },
};

const reorganised =
  "A reorganisation replaced the block at which the walk of the cursor began. Start again without the cursor";

const changing = "The tables of the chains in error.chains are being changed after a reorganisation";

const marketFailures = {
  410: `${reorganised}. Or the history that the request requires is not kept`,
  502: "The database failed, or the service has no market",
  503: "The subgraph that keeps the market has failed, or has not caught up with its chain, which is in error.chains",
} as const;

/** Blocks are numbered by chain. */
const oneChain = { chains: "^[^,]+$" } as const;

/** All operations of the service. */
export const operations: readonly Operation[] = [
  {
    path: "/blocks/{chain}",
    id: "listBlocks",
    tag: "blocks",
    summary: "Block headers",
    description:
      "A block by number or hash, or the blocks of ranges of numbers and timestamps. All pages of one walk are of the block that was newest when it began. Blocks that a reorganisation replaced are never shown.",
    pathParameters: chain,
    parameters: blockParameters,
    conflicts: blockConflicts,
    answer: "BlocksPage",
    failures: {
      410: reorganised,
      422: "Filters exclude each other",
      502: "The database failed, or has no data of the chain",
      503: changing,
    },
  },
  {
    path: "/blocks/{chain}/head",
    id: "getChainHead",
    tag: "blocks",
    summary: "Newest block of a chain",
    pathParameters: chain,
    parameters: {},
    answer: "ChainHead",
    failures: { 502: "The database failed, or has no data of the chain", 503: changing },
  },
  {
    path: "/feeds/wallets/balances",
    id: "listWalletBalances",
    tag: "feeds",
    summary: "What a wallet holds",
    description:
      "The balance of every token of a wallet, the most valuable first, ties by chain and token. Balances come from a node at the block that x-blocks names, or are sums of transfers up to it. total_value_usd is the exact sum over all pages.",
    parameters: balanceParameters,
    answer: "BalancesPage",
    failures: {
      410: reorganised,
      502: "The database failed",
      503: "Native balances, or the tables, of the chains in error.chains are not available",
    },
  },
  {
    path: "/feeds/wallets/transfers",
    id: "listWalletTransfers",
    tag: "feeds",
    summary: "What a wallet moved",
    description:
      "Transfers of tokens and native coins, newest first. A transfer to oneself is two rows, in and out. Native transfers come from successful transactions; transfers that contracts make are not there.",
    parameters: transferParameters,
    requires: { from_block: oneChain, to_block: oneChain },
    answer: "TransfersPage",
    failures: {
      410: reorganised,
      422: "Filters exclude each other: from_block and to_block require exactly one chain",
      502: "The database failed",
      503: "The tables of the chains in error.chains are not available",
    },
  },
  {
    path: "/market/activity",
    id: "listMarketActivity",
    tag: "market",
    summary: "What wallets did on the market",
    description: `Trades, splits, merges, redemptions and conversions, newest first. A match has a row for each order that it filled: sum up taker rows alone for the volume. A request must have address, token_id, start_block and end_block at most ${widestBlocks} blocks apart, or start_time and end_time at most ${widestSeconds} seconds apart. Without any filter, limit may be ${mostUnfiltered} and the order that of blocks. Amounts are exact numbers divided by 1e6.`,
    parameters: activityParameters,
    answer: "MarketActivityPage",
    failures: marketFailures,
  },
  {
    path: "/market/balances",
    id: "listMarketBalances",
    tag: "market",
    summary: "Outcome tokens that a wallet holds",
    description:
      "Balances in units of 1e-6, after all changes of a block. as_of_block is exact. Balances of zero are shown with min_balance=0.",
    parameters: marketBalanceParameters,
    answer: "MarketBalancesPage",
    failures: marketFailures,
  },
  {
    path: "/market/positions",
    id: "listMarketPositions",
    tag: "market",
    summary: "What a wallet traded of each outcome token, at average cost",
    description:
      "Amounts, prices and realized profit in units of 1e-6. A position counts trades, splits, merges, redemptions and conversions, but neither plain transfers nor fees, so that its amount may differ from the balance.",
    parameters: positionParameters,
    answer: "MarketPositionsPage",
    failures: marketFailures,
  },
  {
    path: "/status",
    id: "getStatus",
    tag: "status",
    summary: "How far each chain and the market are indexed, and what can be had of them",
    parameters: {},
    answer: "Status",
    failures: { 502: "The database failed", 503: changing },
  },
];
