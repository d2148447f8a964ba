import { describe, expect, it } from "vitest";
import { queryAtBlock } from "../../src/mcp/query-at-block.js";

const flat = (text: string): string => text.replace(/\s+/g, " ").trim();

describe("a query at a block", () => {
  it.each([
    ["{ trades { id } }", "{ trades(block: {number: 7}) { id } }"],
    [
      "{ a: trades(first: 1) { id price { id } } b: prices { id } }",
      "{ a: trades(first: 1, block: {number: 7}) { id price { id } } b: prices(block: {number: 7}) { id } }",
    ],
    [
      "query Q($x: Int) { trades(first: $x) { id } }",
      "query Q($x: Int) { trades(first: $x, block: {number: 7}) { id } }",
    ],
    // A block that the query names itself stays.
    [
      "{ trades(block: {number: 3}) { id } _meta { block { number } } }",
      "{ trades(block: {number: 3}) { id } _meta(block: {number: 7}) { block { number } } }",
    ],
    [
      "{ __typename trades { ...T } } fragment T on Trade { id }",
      "{ __typename trades(block: {number: 7}) { ...T } } fragment T on Trade { id }",
    ],
    ["{ ... on Query { trades { id } } }", "{ ... on Query { trades(block: {number: 7}) { id } } }"],
  ])("gets the block in all of its own fields: %s", (query, want) => {
    expect(flat(queryAtBlock(query, 7))).toBe(want);
  });

  it("is unchanged without a block", () => {
    expect(queryAtBlock("{ not graphql", undefined)).toBe("{ not graphql");
  });

  it.each([
    ["{ trades", "The query is not valid GraphQL: Syntax Error: Expected Name, found <EOF>."],
    [
      "{ ...F } fragment F on Query { trades { id } }",
      "With a block, name the fields of the query itself, without a fragment around them.",
    ],
    [`${"{ a".repeat(200)}${"}".repeat(200)}`, "The query has more than 64 levels."],
    [
      `{ ${"a ".repeat(20_000)} }`,
      "The query is not valid GraphQL: Syntax Error: Document contains more that 10000 tokens. Parsing aborted.",
    ],
  ])("is refused for %j", (query, why) => {
    expect(() => queryAtBlock(query, 7)).toThrow(why);
  });
});
