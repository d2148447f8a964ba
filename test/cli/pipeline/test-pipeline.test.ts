import { expect, it } from "vitest";
import { graphloom, type Ran, workplace } from "../harness.js";

const flow = `
name: example
sources:
  transfers: { type: dataset, dataset_name: ethereum.erc20_transfers, start_at: earliest, filter: block_number > 5 }
transforms:
  large:
    sql: SELECT id, amount * 2 AS twice, log_index FROM transfers WHERE amount > 100
    primary_key: id
  named:
    type: script
    from: large
    primary_key: id
    schema: { id: string, size: string }
    script: "function invoke(row) { return row.twice > 1000n ? { id: row.id, size: 'huge' } : null; }"
sinks:
  out: { type: postgres, from: named, table: t, secret_name: DB }
`;

const given = `
    given:
      transfers:
        - { id: a, amount: 101, block_number: 6, log_index: 3 }
        - { id: b, amount: 115792089237316195423570985008687907853269984665640564039457584007913129639935, block_number: 7 }
        - { id: c, amount: 100, block_number: 8 }
        - { id: d, amount: 5000, block_number: 5 }
`;

function run(tests: string): Promise<Ran> {
  return graphloom(workplace({ "flow.yaml": `${flow}${tests}` }), "pipeline test flow.yaml");
}

it("pipeline test runs rows through filter, SQL and script, and compares the columns that a test names", async () => {
  const { code, out, err } = await run(`
tests:
  - name: large transfers are doubled
${given}
    expect:
      large:
        - { id: b, twice: 231584178474632390847141970017375815706539969331281128078915168015826259279870, log_index: null }
        - { id: a, twice: "202", log_index: 3 }
      named: [{ id: b, size: huge }]
  - name: nothing comes of nothing
    given: { transfers: [] }
    expect: { named: [] }
`);
  expect(err).toBe("");
  expect(out).toBe("✓ large transfers are doubled\n✓ nothing comes of nothing\n2 tests passed\n");
  expect(code).toBe(0);
});

it("pipeline test shows every missing row and every unexpected row", async () => {
  const { code, out } = await run(`
tests:
  - name: wrong
${given}
    expect:
      large:
        - { id: a, twice: 203 }
        - { id: a, twice: 202 }
        - { id: a, twice: 202 }
      named: [{ id: b }]
`);
  expect(code).toBe(1);
  expect(out.split("\n")).toEqual([
    "✗ wrong",
    '    large has no row {"id":"a","twice":"203"}',
    '    large has no row {"id":"a","twice":"202"}',
    '    large has a row that is not expected: {"id":"b","twice":"231584178474632390847141970017375815706539969331281128078915168015826259279870","log_index":null}',
    "1 of 1 test failed",
    "",
  ]);
});

it("pipeline test reports a row that a query cannot compute as a failure of its test", async () => {
  const { code, out } = await graphloom(
    workplace({
      "flow.yaml": `${flow.replace("amount * 2", "u256_add(amount, to_u256(data))").replace("erc20_transfers", "raw_logs").replaceAll("amount", "log_index::bignum")}
tests:
  - name: odd data
    given: { transfers: [{ id: a, log_index: 200, block_number: 6, data: odd }] }
    expect: { large: [] }
`,
    }),
    "pipeline test flow.yaml",
  );
  expect(code).toBe(1);
  expect(out).toMatch(/^✗ odd data\n {4}.*"odd" is not an integer/);
});

it("pipeline test reports every mistake in tests at its place", async () => {
  const { code, err } = await run(`
tests:
  - name: mistakes
    given: { transfer: [], transfers: [{ id: a, amounts: 5, amount: many }] }
    expect: { largest: [], large: 5 }
  - given: {}
  - name: no rows
    gives: {}
    expect: {}
`);
  expect(code).toBe(1);
  expect(err.match(/error\[.*|hint: .*/g)).toEqual([
    'error[unknown-node]: no such node has the name "transfer"',
    "hint: write transfers",
    'error[unknown-column]: there is no column "amounts"',
    "hint: write amount",
    'error[wrong-type]: "amount" must be a whole number, not "many"',
    'error[unknown-node]: no such node has the name "largest"',
    "hint: write large",
    'error[wrong-type]: "large" must be a list of rows, not 5',
    "hint: write each row as a map of columns; [] for none",
    'error[missing-key]: a test requires "name"',
    "hint: add name: what it shows",
    'error[missing-key]: a test requires "given"',
    "hint: add given: rows by the name of a source",
    'error[unknown-key]: a test has no setting "gives"',
    "hint: write given",
  ]);
});

it("pipeline test says how to add tests to a definition without any", async () => {
  const { code, err } = await run("");
  expect(code).toBe(2);
  expect(err).toBe(
    "flow.yaml has no tests. Add a list named tests to it; each test has name, given and expect.\n",
  );
});

it("pipeline test reports a dynamic table whose secret is missing as a failure of the test", async () => {
  const definition = flow
    .replace(
      "  large:",
      "  known: { type: dynamic_table, backend_type: Postgres, backend_entity_name: k, secret_name: NONE }\n  large:",
    )
    .replace("WHERE amount > 100", "WHERE dynamic_table_check('known', id)");
  const { code, out } = await graphloom(
    workplace({
      "flow.yaml": `${definition}\ntests: [{ name: t, given: { transfers: [{ id: a }] }, expect: { large: [] } }]\n`,
    }),
    "pipeline test flow.yaml",
  );
  expect(out).toContain("There is no secret NONE.");
  expect(code).toBe(1);
});

it("pipeline test joins given rows with the rows that a query puts into a dynamic table", async () => {
  const definition = `
name: joined
sources: { transfers: { type: dataset, dataset_name: base.erc20_transfers, start_at: 1 } }
transforms:
  latest: { type: dynamic_table, backend_type: InMemory, backend_entity_name: l, primary_key: sender, sql: "SELECT sender, amount, block_number FROM transfers WHERE amount > 100" }
  made: { primary_key: id, sql: "SELECT transfers.id, l.amount FROM transfers LEFT JOIN latest AS l ON l.sender = transfers.sender" }
sinks: { shown: { type: print, from: made } }
tests:
  - name: t
    given:
      transfers:
        - { id: a, sender: x, amount: 200, block_number: 7 }
        - { id: b, sender: y, amount: 5, block_number: 8 }
    expect: { made: [{ id: a, amount: 200 }, { id: b, amount: null }] }
`;
  const { code, out } = await graphloom(workplace({ "flow.yaml": definition }), "pipeline test flow.yaml");
  expect([code, out]).toEqual([0, "✓ t\n1 test passed\n"]);
});
