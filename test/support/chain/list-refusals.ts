import type { RangeRefusal } from "./range-refusals.js";

/** How a node refuses a query of logs whose lists are too long, and which of them it means. */
export interface ListRefusal extends RangeRefusal {
  readonly list: "addresses" | "topics" | "any";
}

/** Refusals of lists as nodes and providers word them. */
export const listRefusals: readonly ListRefusal[] = [
  { name: "geth", list: "addresses", code: -32000, message: "exceed max addresses" },
  { name: "geth-topics", list: "topics", code: -32000, message: "exceed max topics" },
  {
    name: "geth-both",
    list: "any",
    code: -32000,
    message: "exceed max addresses or topics per search position",
  },
  {
    name: "geth-both-params",
    list: "any",
    code: -32602,
    message: "exceed max addresses or topics per search position",
  },
  {
    name: "erigon",
    list: "any",
    code: -32000,
    message: "query exceeds the maximum of 7 addresses or topics per search position",
  },
  { name: "tron", list: "addresses", code: -32602, message: "exceed max addresses: 7" },
  { name: "tron-topics", list: "topics", code: -32602, message: "exceed max topics: 7" },
  { name: "in-words", list: "addresses", code: -32005, message: "too many addresses in filter" },
  { name: "sub-topics", list: "topics", code: -32005, message: "too many sub-topics" },
  {
    name: "number-of",
    list: "addresses",
    code: -32600,
    message: "The number of addresses (24) is limited to 7, please try again later with fewer",
  },
  { name: "array", list: "addresses", code: -32602, message: "address array is too long, limit 7" },
  {
    name: "limited",
    list: "addresses",
    status: 429,
    code: -32005,
    message: "too many addresses",
  },
  { name: "bad-request", list: "topics", status: 400, code: -32602, message: "at most 7 topics allowed" },
  { name: "blocked", list: "any", code: -32602, message: "Request blocked" },
  { name: "results", list: "any", code: -32005, message: "query returned more than 10000 results" },
  { name: "html-413", list: "any", status: 413, body: "<html><h1>413 Request Entity Too Large</h1></html>" },
  { name: "html-403", list: "any", status: 403, body: "<html><h1>403 Forbidden</h1></html>" },
];
