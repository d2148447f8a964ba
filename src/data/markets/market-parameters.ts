import type { Parameters } from "../answers/parameters.js";
import { largestLimit, usualLimit } from "../blocks/block-parameters.js";

/** Blocks and seconds that a window may span without another filter. */
export const widestBlocks = 300_000;
export const widestSeconds = 604_800;
/** The most rows of a page without any filter. */
export const mostUnfiltered = 100;

const address = {
  type: "string",
  pattern: /^0[xX][\da-fA-F]{40}$/,
  looksLike: "an address: 0x and 40 hex digits",
} as const;
const wallet = { ...address, required: true, description: "the wallet" } as const;
const tokenId = {
  type: "string",
  pattern: /^\d{1,78}$/,
  looksLike: "decimal digits",
  description: "the outcome token, in decimal digits",
} as const;
/** Filters on amounts in served form: raw integers. */
const raw = { type: "string", pattern: /^\d{1,78}$/, looksLike: "decimal digits" } as const;
const block = { type: "int64", minimum: 0 } as const;
/** RFC 3339, or seconds since 1970. */
const time = {
  type: "string",
  pattern: /^(?:\d{1,12}|\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2}))$/,
  looksLike: "a time such as 2026-01-31T12:00:00Z, or seconds since 1970",
} as const;

const pages = {
  limit: {
    type: "int32",
    minimum: 0,
    usual: usualLimit,
    description: `rows per page; a value above ${largestLimit} is taken as ${largestLimit}`,
  },
  cursor: {
    type: "string",
    description:
      "next_cursor of the previous page. Filters and sort may be left out; if they are given, they must be those of the first page",
  },
} as const satisfies Parameters;

/** The parameters of `GET /market/activity`. */
export const activityParameters = {
  address: { ...address, description: "the wallet whose activity it is" },
  token_id: tokenId,
  event_type: {
    type: "string",
    values: ["TRADE", "SPLIT", "MERGE", "REDEEM", "CONVERT"],
    description: "what happened",
  },
  side: { type: "string", values: ["BUY", "SELL"], description: "what the wallet did" },
  order_type: {
    type: "string",
    values: ["taker", "maker"],
    description: "whose order it was; what is not a trade is taker",
  },
  start_time: { ...time, description: "earliest time, RFC 3339 or seconds since 1970; included" },
  end_time: { ...time, description: "latest time, RFC 3339 or seconds since 1970; included" },
  start_block: { ...block, description: "first block" },
  end_block: { ...block, description: "last block" },
  min_amount_usdc: {
    type: "double",
    minimum: 0,
    description: "least amount_usdc, in USDC; rows without an amount are left out",
  },
  sort: {
    type: "string",
    values: ["block_number_desc", "block_number_asc", "amount_usdc_desc"],
    usual: "block_number_desc",
    description:
      "order of the rows: as the chain has them, newest or oldest first, or by amount, ties newest first. Null counts as zero",
  },
  ...pages,
} as const satisfies Parameters;

/** The parameters of `GET /market/balances`. */
export const marketBalanceParameters = {
  address: wallet,
  token_id: tokenId,
  contract_address: { ...address, description: "the contract that keeps the balances" },
  token_type: { type: "string", values: ["erc1155"], description: "the standard of the token" },
  min_balance: {
    ...raw,
    usual: "1",
    description: "least balance, in units of 1e-6; 0 also shows tokens that the wallet no longer holds",
  },
  as_of_block: {
    ...block,
    description:
      "the block whose balances are wanted, exactly; the newest one by default, and for a block that is not there yet",
  },
  sort: {
    type: "string",
    values: ["balance_desc", "balance_asc", "block_number_desc"],
    usual: "balance_desc",
    description:
      "order of the rows: by balance, or by the block that changed it last. Ties are in the order of token_id, then of contract_address",
  },
  ...pages,
} as const satisfies Parameters;

/** The parameters of `GET /market/positions`. */
export const positionParameters = {
  address: wallet,
  token_id: tokenId,
  min_amount: { ...raw, description: "least amount, in units of 1e-6; rows without an amount are left out" },
  include_zero: {
    type: "boolean",
    usual: false,
    description: "whether closed positions, whose amount is zero, are shown",
  },
  sort: {
    type: "string",
    values: ["amount_desc", "amount_asc", "realized_pnl_desc", "last_updated_at_desc"],
    usual: "amount_desc",
    description:
      "order of the rows. Null sorts as zero but is returned as null. Ties are in the order of token_id",
  },
  ...pages,
} as const satisfies Parameters;
