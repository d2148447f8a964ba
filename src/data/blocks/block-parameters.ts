import type { Parameters } from "../answers/parameters.js";

/** The default number of rows per page. */
export const usualLimit = 100;
/** The most rows of a page; a larger limit is reduced to this. */
export const largestLimit = 1_000;

const block = { type: "int64", minimum: 0 } as const;

/** The parameters of `GET /blocks/{chain}`. */
export const blockParameters = {
  number: { ...block, description: "exact block number; conflicts with hash and ranges" },
  hash: {
    type: "string",
    pattern: /^0x[\da-fA-F]{64}$/,
    looksLike: "0x and 64 hex digits",
    description: "hash of the block; conflicts with number and ranges",
  },
  number_gte: { ...block, description: "first block" },
  number_lte: { ...block, description: "last block" },
  timestamp_gte: { type: "int64", description: "earliest timestamp, in seconds since 1970" },
  timestamp_lte: {
    type: "int64",
    description:
      "latest timestamp, in seconds since 1970. With sort=number_desc and limit=1, the answer is the newest block at or before it",
  },
  sort: {
    type: "string",
    values: ["number_desc", "number_asc"],
    usual: "number_desc",
    description: "order of the blocks",
  },
  limit: {
    type: "int32",
    minimum: 0,
    usual: usualLimit,
    description: `blocks per page; a value above ${largestLimit} is taken as ${largestLimit}`,
  },
  cursor: {
    type: "string",
    description:
      "next_cursor of the previous page. Filters and sort may be left out; if they are given, they must be those of the first page",
  },
} as const satisfies Parameters;

const ranges = ["number_gte", "number_lte", "timestamp_gte", "timestamp_lte"] as const;

/** Parameters that exclude each other. */
export const blockConflicts: readonly (readonly [string, string])[] = [
  ["number", "hash"],
  ...ranges.map((range) => ["number", range] as const),
  ...ranges.map((range) => ["hash", range] as const),
];
