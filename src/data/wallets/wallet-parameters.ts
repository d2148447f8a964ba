import type { Parameters } from "../answers/parameters.js";

/** The default number of rows per page. */
export const usualPage = 100;
/** The most rows of a page; a larger size is reduced to this. */
export const largestPage = 1_000;
/** The most tokens in a request. */
export const mostTokens = 100;
/** The most omitted tokens that an answer names. */
export const mostOmitted = 100;

const anyItem = /[^,\s](?:[^,]*[^,\s])?/;

const wallet = {
  address: {
    type: "string",
    required: true,
    pattern: /^(?:0x[\da-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})$/,
    looksLike: "an address: 0x and 40 hex digits",
    description: "the wallet",
  },
  chains: {
    type: "string",
    items: anyItem,
    example: "ethereum",
    description: "chains, separated by commas, by their names in the feeds; by default all that are filled",
  },
  token_address: {
    type: "string",
    items: /0x[\da-fA-F]{40}/,
    description: `contracts of tokens, separated by commas, up to ${mostTokens}; the zero address is the native coin`,
  },
  token_symbol: {
    type: "string",
    items: anyItem,
    description: "symbols, separated by commas; case does not matter",
  },
  include_unknown_price: {
    type: "boolean",
    usual: false,
    description:
      "whether tokens are shown that have no source of prices: neither stable coins nor known in the registry",
  },
} as const satisfies Parameters;

const pages = {
  page_size: {
    type: "int32",
    minimum: 0,
    usual: usualPage,
    description: `rows per page; a value above ${largestPage} is taken as ${largestPage}`,
  },
  page_token: {
    type: "string",
    description:
      "next_page_token or prev_page_token of a page. Filters may be left out; if they are given, they must be those of the first page",
  },
} as const satisfies Parameters;

const block = { type: "int64", minimum: 0 } as const;
/** RFC 3339. */
const time = {
  type: "string",
  format: "date-time",
  pattern: /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/,
  looksLike: "a time such as 2026-01-31T12:00:00Z",
} as const;

/** The parameters of `GET /feeds/wallets/transfers`. */
export const transferParameters = {
  ...wallet,
  transfer_type: {
    type: "string",
    items: /native|erc20|spl/,
    description: "native or erc20, or both, separated by commas",
  },
  direction: {
    type: "string",
    values: ["in", "out"],
    description: "only what the wallet received, or only what it sent",
  },
  from: { ...time, description: "earliest time of the block, in RFC 3339" },
  to: { ...time, description: "latest time of the block, in RFC 3339" },
  from_block: { ...block, description: "first block; requires exactly one chain" },
  to_block: { ...block, description: "last block; requires exactly one chain" },
  ...pages,
} as const satisfies Parameters;

/** The parameters of `GET /feeds/wallets/balances`. */
export const balanceParameters = {
  ...wallet,
  min_value_usd: {
    type: "double",
    description: "leaves out balances that are worth less, or whose worth is not known; also in the total",
  },
  include_historical: {
    type: "boolean",
    usual: false,
    description:
      "also shows balances of zero: tokens that were sold, and natives that the wallet has none of",
  },
  ...pages,
} as const satisfies Parameters;
