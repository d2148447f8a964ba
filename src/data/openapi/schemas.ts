import { markKinds } from "../catalog/token-marks.js";
import { activityParameters, marketBalanceParameters } from "../markets/market-parameters.js";
import { mostOmitted } from "../wallets/wallet-parameters.js";
import type { Schema } from "./operation.js";

const string = { type: "string" } as const;
const nullableString = { type: ["string", "null"] } as const;
const int64 = { type: "integer", format: "int64" } as const;
const count = { type: "integer", format: "int64", minimum: 0 } as const;
const nullableCount = { type: ["integer", "null"], format: "int64", minimum: 0 } as const;
const nullableInt64 = { type: ["integer", "null"], format: "int64" } as const;
const hash = { type: "string", pattern: "^0x[0-9a-f]{64}$" } as const;

const nullableDouble = { type: ["number", "null"], format: "double" } as const;
const time = { type: "string", format: "date-time" } as const;
const token = {
  token_decimals: { type: ["integer", "null"], format: "int32" },
  token_logo_url: nullableString,
  token_name: nullableString,
  token_symbol: nullableString,
} as const;

const mark = { enum: [...markKinds, null] } as const;

/** An object with exactly these fields. @param optional fields that may be missing; their own types allow null */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: "object", properties, required, additionalProperties: false };
}

/** A schema of the document. */
export function named(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function cursorPage(item: string): Schema {
  return object({
    data: { type: "array", items: named(item) },
    limit: { type: "integer", format: "int32", minimum: 0 },
    next_cursor: {
      ...nullableString,
      description: "pass back as cursor for the next page; null on the last page",
    },
  });
}

const perCategory = object({ blocks: nullableCount, transfers: nullableCount, natives: nullableCount });

/** The schemas of answers by name. */
export const schemas: Readonly<Record<string, Schema>> = {
  Error: object({
    error: object(
      {
        code: { ...string, description: "for programs, such as CONFLICTING_FILTERS" },
        message: { ...string, description: "for people: what is wrong, and what to do" },
        chains: { type: "array", items: string, description: "the chains that it is about" },
      },
      ["chains"],
    ),
  }),
  Block: object({
    chain: string,
    number: count,
    timestamp: { ...int64, description: "seconds since 1970" },
    hash,
    parent_hash: hash,
    author: string,
    size: { ...count, description: "bytes; 0 if the node did not say" },
    receipts_root: string,
    transactions_root: string,
    state_root: string,
    uncles_hash: string,
    transaction_count: { type: "integer", format: "int32", minimum: 0 },
    base_fee_per_gas: nullableCount,
    gas_limit: nullableCount,
    gas_used: nullableCount,
  }),
  BlocksPage: cursorPage("Block"),
  ChainHead: object({
    chain: string,
    number: count,
    timestamp: { ...int64, description: "seconds since 1970" },
    head_lag_seconds: { ...int64, description: "seconds between now and the block: how fresh the data is" },
  }),
  Balance: object({
    chain: string,
    chain_family: string,
    token_address: { ...string, description: "the zero address for the native coin" },
    balance_raw: { ...string, description: "in the smallest unit" },
    block_number: { ...count, description: "the block that the balance is of" },
    block_timestamp: time,
    ...token,
    price_usd: nullableDouble,
    value_usd: nullableDouble,
    last_priced_at: {
      ...nullableString,
      format: "date-time",
      description: "when the price was observed; null for a stable coin, whose price is asserted",
    },
    balance_source: {
      enum: ["node", "transfers"],
      description:
        "node: what the token's contract, or the node for native coins, says at the block; transfers: the sum of all transfers up to it",
    },
    token_mark: {
      ...mark,
      description:
        "what data audit or data sync has found about the token: its balances are not the sums of its transfers. One that is unreliable has no value here. Null if nothing was found",
    },
  }),
  OmittedToken: object({
    chain: string,
    token_address: string,
    reason: {
      enum: [...markKinds, "negative", "no_answer"],
      description:
        "a mark: no node answers, and sums of transfers are wrong for the token; negative: its transfers add up to less than nothing; no_answer: its contract does not answer, and the tables do not begin at block 0",
    },
  }),
  BalancesPage: object({
    address: string,
    total_value_usd: {
      type: "number",
      format: "double",
      description: "sum of value_usd over all pages; balances without a value add nothing",
    },
    data: { type: "array", items: named("Balance") },
    omitted_count: {
      ...count,
      description:
        "tokens of the wallet that match the filters and are left out, as their balance is not known",
    },
    omitted_tokens: {
      type: "array",
      items: named("OmittedToken"),
      maxItems: mostOmitted,
      description: `the first ${mostOmitted} of them, by chain and token`,
    },
    pagination: named("Pagination"),
  }),
  Transfer: object({
    chain: string,
    chain_family: string,
    block_number: count,
    block_timestamp: time,
    transaction_hash: string,
    direction: { enum: ["in", "out"] },
    token_address: { ...string, description: "the zero address for the native coin" },
    amount_raw: { ...string, description: "in the smallest unit" },
    transfer_type: { enum: ["native", "erc20"] },
    amount_usd: { ...nullableDouble, description: "at the time of the transfer" },
    price_usd: nullableDouble,
    from_address: nullableString,
    to_address: nullableString,
    from_label: nullableString,
    to_label: nullableString,
    ...token,
  }),
  TransfersPage: object({
    data: { type: "array", items: named("Transfer") },
    pagination: named("Pagination"),
  }),
  MarketActivity: object({
    id: { ...string, description: "transaction hash and log index, and a number where rows share a log" },
    block_number: count,
    block_timestamp: { ...nullableInt64, description: "seconds since 1970" },
    transaction_hash: nullableString,
    event_type: { enum: activityParameters.event_type.values },
    side: { enum: activityParameters.side.values },
    order_type: { enum: activityParameters.order_type.values },
    address: { ...nullableString, description: "the wallet" },
    counterparty_address: {
      ...nullableString,
      description: "the wallet of the taker, in maker rows; null in taker rows",
    },
    token_id: nullableString,
    amount_usdc: nullableDouble,
    amount_shares: nullableDouble,
    price: { ...nullableDouble, description: "amount_usdc divided by amount_shares" },
    fee: { ...nullableDouble, description: "in USDC; a fee in outcome tokens is worth their price" },
    fee_asset: {
      enum: ["collateral", "token", null],
      description: "what the fee was taken in; null without a fee",
    },
    order_id: nullableString,
    builder: nullableString,
  }),
  MarketActivityPage: cursorPage("MarketActivity"),
  MarketBalance: object({
    address: string,
    token_id: string,
    balance: { ...string, description: "in units of 1e-6" },
    block_number: { ...nullableCount, description: "the block that changed it last" },
    block_timestamp: { ...nullableInt64, description: "seconds since 1970" },
    contract_address: nullableString,
    token_type: { enum: marketBalanceParameters.token_type.values },
  }),
  MarketBalancesPage: cursorPage("MarketBalance"),
  MarketPosition: object({
    address: string,
    token_id: string,
    amount: { ...nullableString, description: "in units of 1e-6" },
    avg_price: { ...nullableString, description: "average price of entry, in units of 1e-6" },
    realized_pnl: { ...nullableString, description: "realized profit so far, in units of 1e-6" },
    total_bought: { ...nullableString, description: "in units of 1e-6" },
    block_number: { ...nullableCount, description: "the block that changed it last" },
    last_updated_at: {
      ...nullableDouble,
      description:
        "time of the last block that changed the position, in seconds since 1970. The time when the row was written is not kept",
    },
  }),
  MarketPositionsPage: cursorPage("MarketPosition"),
  Pagination: object({
    page_size: { type: "integer", format: "int32", minimum: 0 },
    next_page_token: { ...nullableString, description: "pass back as page_token; null on the last page" },
    prev_page_token: { ...nullableString, description: "pass back as page_token; null on the first page" },
  }),
  Status: object({
    chains: {
      type: "array",
      items: object({
        chain: { ...string, description: "name in the feeds" },
        blocks_chain: { ...string, description: "name below /blocks" },
        chain_id: nullableCount,
        indexed_from: { ...count, description: "the first block that is there" },
        head_lag_seconds: { type: ["integer", "null"], format: "int64" },
        indexed_to: { ...perCategory, description: "the last block that is there, by category" },
        final_to: { ...perCategory, description: "the last block that no reorganisation replaces" },
        capabilities: object({
          receipts: { type: "boolean", description: "whether native transfers are there" },
          traces: { type: "boolean", description: "whether native transfers of contracts are there" },
          finality: { enum: ["tag", "depth", "unknown"], description: "how final blocks are known" },
          node: { type: "boolean", description: "whether there is a node for native balances" },
        }),
      }),
    },
    market: {
      anyOf: [named("MarketStatus"), { type: "null" }],
      description: "the market that the service answers about; null if there is none",
    },
  }),
  MarketStatus: object({
    subgraph: { ...string, description: "the subgraph that keeps the market" },
    build: { ...string, description: "the deployment id of its build" },
    chain: { ...string, description: "name in the feeds" },
    health: {
      enum: ["healthy", "behind", "retrying", "unhealthy", "failed", "removed"],
      description:
        "behind: it has not caught up with its chain. retrying: its newest block fails and is tried again. unhealthy, failed: handlers have failed",
    },
    indexed_from: nullableCount,
    indexed_to: { ...nullableCount, description: "the last block that is there" },
    final_to: { ...nullableCount, description: "the last block that no reorganisation replaces" },
    head_lag_seconds: { type: ["integer", "null"], format: "int64" },
    capabilities: object({
      history_from: { ...nullableCount, description: "the first block for as_of_block" },
    }),
  }),
};
