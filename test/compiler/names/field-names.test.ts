import { describe, expect, it } from "vitest";
import { FieldNames, fieldNameProblem } from "../../../src/compiler/names/field-names.js";

const long = "a".repeat(70);
const base = ["id", "block_number", "timestamp_", "transactionHash_", "contractId_"];

/** The field names for these names in this order, beside the fields that every triggering entity has. */
function claimed(...names: string[]): string[] {
  const fields = new FieldNames();
  for (const name of base) fields.reserve(name);
  return names.map((name) => fields.claim(name).name);
}

describe("a single field name", () => {
  it.each([
    ["amount", "amount"],
    ["type", "type"],
    ["from", "from"],
    ["in", "in"],
    ["not", "not"],
    ["tokenID", "tokenID"],
    ["a_b", "a_b"],
    ["a_in_b", "a_in_b"],
    ["a".repeat(63), "a".repeat(63)],
    // Base fields keep their names.
    ["id", "idParam"],
    ["ID", "IDParam"],
    ["Id", "IdParam"],
    ["timestamp", "timestampParam"],
    ["blockNumber", "blockNumberParam"],
    ["block_number", "block_numberParam"],
    ["transactionHash", "transactionHashParam"],
    ["contractId", "contractIdParam"],
    // Filters.
    ["and", "andParam"],
    ["or", "orParam"],
    ["_change_block", "_change_blockParam"],
    ["amount_in", "amount_inParam"],
    ["token_not", "token_notParam"],
    ["a_gt", "a_gtParam"],
    ["a_lt", "a_ltParam"],
    ["a_gte", "a_gteParam"],
    ["a_lte", "a_lteParam"],
    ["a_not_in", "a_not_inParam"],
    ["a_contains", "a_containsParam"],
    ["a_contains_nocase", "a_contains_nocaseParam"],
    ["a_not_contains", "a_not_containsParam"],
    ["a_starts_with", "a_starts_withParam"],
    ["a_starts_with_nocase", "a_starts_with_nocaseParam"],
    ["a_not_starts_with", "a_not_starts_withParam"],
    ["a_ends_with", "a_ends_withParam"],
    ["a_not_ends_with_nocase", "a_not_ends_with_nocaseParam"],
    // Sorting.
    ["a__b", "a_bParam"],
    ["__typename", "_typenameParam"],
    // The database.
    ["vid", "vidParam"],
    ["VID", "VIDParam"],
    ["block_range", "block_rangeParam"],
    ["blockRange", "blockRangeParam"],
    ["causality_region", "causality_regionParam"],
    ["block$", "block_Param"],
    ["x_", "x_Param"],
    [long, `${"a".repeat(40)}Param`],
    ["_", "_Param"],
    // AssemblyScript.
    ["async", "asyncParam"],
    ["default", "defaultParam"],
    ["of", "ofParam"],
    ["constructor", "constructorParam"],
    ["save", "saveParam"],
    ["get", "getParam"],
    ["set", "setParam"],
    ["unset", "unsetParam"],
    // Names that are invalid in GraphQL.
    ["a$b", "a_bParam"],
    ["$", "_Param"],
    ["1st", "_1stParam"],
    ["été", "_t_Param"],
  ])("%s becomes %s", (name, want) => {
    expect(claimed(name)).toEqual([want]);
  });
});

describe("several field names", () => {
  it.each([
    [
      ["from", "_from"],
      ["from", "_fromParam"],
    ],
    [
      ["_from", "from"],
      ["_from", "fromParam"],
    ],
    [
      ["tokenID", "tokenId"],
      ["tokenID", "tokenIdParam"],
    ],
    [
      ["token0", "token_0"],
      ["token0", "token_0Param"],
    ],
    [
      ["id", "idParam", "ID"],
      ["idParam", "idParamParam", "IDParam2"],
    ],
    [
      ["idParam", "id"],
      ["idParam", "idParam2"],
    ],
    [
      ["idParam", "idParam2", "id"],
      ["idParam", "idParam2", "idParam3"],
    ],
    [
      ["a", "a", "a"],
      ["a", "aParam", "aParam2"],
    ],
    [
      [`${long}1`, `${long}2`],
      [`${"a".repeat(40)}Param`, `${"a".repeat(40)}Param2`],
    ],
    [
      ["a__b", "a_b"],
      ["a_bParam", "a_b"],
    ],
    [
      ["timestamp", "timestamp_", "_timestamp"],
      ["timestampParam", "timestamp_Param2", "_timestampParam3"],
    ],
  ])("%j become %j", (names, want) => {
    const got = claimed(...names);
    expect(got).toEqual(want);
    expect(got.map(fieldNameProblem)).toEqual(got.map(() => undefined));
  });

  it("never share a column", () => {
    const names = ["a", "A", "_a", "a_", "aParam", "AParam", "a_param", "aParam2", "a", "a__", "$a", "a$"];
    const columns = claimed(...names).map((name) => name.replaceAll("_", "").toLowerCase());
    expect(new Set(columns).size).toBe(names.length);
  });
});

describe("a renamed field gives its reason", () => {
  it.each([
    ["id", "is already a field"],
    ["timestamp", 'would share a column with the field "timestamp_"'],
    ["a_in", "ends like a filter operator"],
    ["a_", "ends like a filter operator"],
    ["a__b", 'contains "__", which graph-node uses to sort by a child\'s field'],
    ["and", "has a special meaning in generated code or filters"],
    ["blockRange", "is a system column of graph-node"],
    ["a$", "is not a GraphQL name"],
    [long, "is longer than 63 characters as a column name"],
    ["amount", undefined],
  ])("%s: %s", (name, reason) => {
    const fields = new FieldNames();
    for (const field of base) fields.reserve(field);
    expect(fields.claim(name).reason).toBe(reason);
  });
});
