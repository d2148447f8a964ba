import { describe, expect, test } from "vitest";
import { expressionSql } from "../../../src/subgraph/schema/aggregate-expression.js";
import { SchemaError } from "../../../src/subgraph/schema/entity-schema.js";

const fields = new Map([
  ["price", '"price"'],
  ["tokenAmount", '"token_amount"'],
  ["end", '"end"'],
]);
const sql = (text: string): string => expressionSql("Stats.sum", text, (field) => fields.get(field));

describe("the expression of an aggregate", () => {
  test.each([
    ["price", '"price"'],
    ["price*tokenAmount", '"price" * "token_amount"'],
    ['"price" - -1.5e3', '"price" - - 1.5e3'],
    ["(price + 1) / (2 ^ 3 % .5)", '( "price" + 1 ) / ( 2 ^ 3 % .5 )'],
    ["GREATEST(price, Abs(tokenAmount), 0)", 'greatest ( "price" , abs ( "token_amount" ) , 0 )'],
    [
      "case when price > 1 AND not tokenAmount <= 2 then 1 else NULL end",
      'case when "price" > 1 and not "token_amount" <= 2 then 1 else null end',
    ],
    ["case price when 1 then 'a''b' end", `case "price" when 1 then 'a''b' end`],
    ["cast(price as Int8) + tokenAmount::numeric", 'cast ( "price" as int8 ) + "token_amount" :: numeric'],
    ["price is not null or (price != 1) is true", '"price" is not null or ( "price" != 1 ) is true'],
    ["price is distinct from tokenAmount", '"price" is distinct from "token_amount"'],
    ['"end"', '"end"'],
    // Together they would start a comment.
    ["price--1", '"price" - - 1'],
  ])("is translated to SQL: %s", (text, expected) => {
    expect(sql(text)).toBe(expected);
  });
});

describe("an invalid expression of an aggregate", () => {
  test.each([
    ["", "ends where a value is expected"],
    ["price +", "ends where a value is expected"],
    ["price tokenAmount", 'has an unexpected "tokenAmount"'],
    ["price)", 'has an unexpected ")"'],
    ["(price", 'is missing ")"'],
    ["other", 'refers to "other", which is not a field of the source'],
    ["Price", 'refers to "Price"'],
    ["end", 'has an unexpected "end"'],
    ["random()", 'calls "random", but may call only abs, ceil'],
    ["pg_sleep(1)", 'calls "pg_sleep"'],
    ["price; drop table t", 'is invalid from "; drop table t" on'],
    ["price /* c */", 'has an unexpected "*"'],
    ["price || 'a'", "is invalid from \" || 'a'\" on"],
    ["(select 1)", 'refers to "select"'],
    ["t.price", 'is invalid from ".price" on'],
    ["price[1]", 'is invalid from "[1]" on'],
    ["12a", 'is invalid from "12a" on'],
    ["'open", 'is invalid from "\'open" on'],
    ["price::regclass", 'casts to "regclass", but may cast only to bigint'],
    ["price::", "casts to nothing"],
    ["price is 1", 'has an unexpected "1"'],
    ["case 1 end", "is missing WHEN"],
    ["abs(price price)", 'is missing ")"'],
    ["abs()", 'has an unexpected ")"'],
    ["price\u0000", 'is invalid from "\\u0000" on'],
    ["(".repeat(200), "is nested deeper than 100 levels"],
    ["-".repeat(20_000), "is longer than 10000 characters"],
    ["-".repeat(9_999), "ends where a value is expected"],
  ])("is refused: %s", (text, message) => {
    expect(() => sql(text)).toThrow(SchemaError);
    expect(() => sql(text)).toThrow(`the expression of Stats.sum ${message}`);
  });
});
