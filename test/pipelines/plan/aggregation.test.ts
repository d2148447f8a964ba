import { expect, it } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";

/** A definition whose sink aggregates transfers. */
function definition(groupBy: string, aggregate: string): string {
  return `
name: balances
sources:
  transfers:
    type: dataset
    dataset_name: base.erc20_transfers
sinks:
  totals:
    type: postgres_aggregate
    from: transfers
    landing_table: transfers
    agg_table: totals
    secret_name: DB
    group_by: ${groupBy}
    aggregate: ${aggregate}
`;
}

async function mistakes(groupBy: string, aggregate: string): Promise<readonly string[]> {
  const folder = workplace({ "flow.yaml": definition(groupBy, aggregate) });
  const { code, out, err } = await graphloom(folder, "pipeline validate flow.yaml");
  if (code === 0) expect(err).toBe("");
  return [...`${out}${err}`.matchAll(/^error\S* (.*)$/gm)].map(([, message = ""]) => message);
}

it("the plan takes groups with and without a type, and every function", async () => {
  const aggregate =
    "{ transfers: { fn: count }, amount: { fn: sum }, mean: { fn: avg, from: amount, type: 'numeric(40,2)' }, first: { fn: min, from: block_number }, last: { fn: max, from: block_number } }";
  expect(await mistakes("{ address: {}, sender: { type: varchar } }", aggregate)).toEqual([]);
});

it.each([
  ["[address]", "{ n: { fn: count } }", '"group_by" must be a map of columns, not a list'],
  ["{}", "{ n: { fn: count } }", '"group_by" must be a map of columns, not an empty one'],
  ["{ adress: {} }", "{ n: { fn: count } }", 'the rows have no column "adress"'],
  ["{ address: { type: json } }", "{ n: { fn: count } }", '"json" is not a type that the column can have'],
  ["{ address: {} }", "{ n: count }", '"n" must be a map of settings, not "count"'],
  ["{ address: {} }", "{ n: { fn: median } }", '"fn" must be sum, count, avg, min or max'],
  ["{ address: {} }", "{ n: { fn: sum } }", 'the rows have no column "n"'],
  ["{ address: {} }", "{ n: { from: amount } }", 'an aggregate requires "fn"'],
  [
    "{ address: {} }",
    "{ n: { fn: sum, from: sender } }",
    'sum cannot be computed of "sender", whose type is STRING',
  ],
  ["{ address: {} }", "{ address: { fn: count } }", 'two columns of the table have the name "address"'],
  [
    "{ address: {} }",
    "{ graphloom_rows: { fn: count } }",
    "the name of an aggregate has at most 40 characters, and does not begin with graphloom_",
  ],
])("the plan reports %s with %s", async (groupBy, aggregate, message) => {
  expect((await mistakes(groupBy, aggregate)).join("\n")).toContain(message);
});
