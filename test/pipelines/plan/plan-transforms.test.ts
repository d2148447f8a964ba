import { describe, expect, it } from "vitest";
import { findingsIn, plannedPipeline, soundPipeline } from "../../support/pipelines/planned-pipeline.js";

/** A flow with one transform, which reads the blocks of a chain. */
function pipelineWith(settings: string): string {
  return `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
transforms: { made: { from: blocks, ${settings} } }
sinks: { shown: { type: print, from: made } }`;
}

async function columnsOf(settings: string): Promise<readonly string[]> {
  const { transforms } = await soundPipeline(pipelineWith(settings));
  return (transforms[0]?.schema.columns ?? []).map(({ name, type }) => `${name} ${type}`);
}

describe("the columns of a script", () => {
  it("match its schema", async () => {
    const schema = "id: string, a: uint64, b: int64, c: float64, d: boolean, e: bytes";
    expect(
      await columnsOf(
        `type: script, primary_key: id, schema: { ${schema} }, script: "function invoke() { return null; }"`,
      ),
    ).toEqual(["id STRING", "a DECIMAL", "b LONG", "c DOUBLE", "d BOOLEAN", "e STRING"]);
  });

  it.each([
    ["id: strng", 'wrong-value: "strng" is not a type of a script\'s column'],
    ["id: string, ID: int64", 'duplicate-key: two columns have the name "ID"'],
    ["name: string", 'unknown-column: the rows have no column "id"'],
  ])("cannot be %s", async (schema, message) => {
    expect(
      await plannedPipeline(
        pipelineWith(
          `type: script, primary_key: id, schema: { ${schema} }, script: "function invoke() { return null; }"`,
        ),
      ),
    ).toEqual([message]);
  });
});

describe("the columns of a handler", () => {
  const handler = 'type: handler, url: "http://handler", primary_key: id';

  it("match the columns it reads, with changed types, removed columns and new ones", async () => {
    const before = await columnsOf(handler);
    const override =
      "number: string, Miner: null, price: 'numeric(38,9)', count: bigint, wide: 'numeric(78,0)'";
    expect(await columnsOf(`${handler}, schema_override: { ${override} }`)).toEqual([
      ...before
        .filter((column) => !column.startsWith("miner "))
        .map((column) => (column.startsWith("number ") ? "number STRING" : column)),
      "price NUMERIC",
      "count LONG",
      "wide DECIMAL",
    ]);
  });

  it.each([
    ["schema_override: { number: number }", 'wrong-value: "number" is not a type that a column can have'],
    ["schema_override: { price: null }", 'unknown-column: the rows have no column "price"'],
    ["schema_override: { id: null }", 'unknown-column: the rows have no column "id"'],
    ["payload_columns: nmber", 'unknown-column: the rows have no column "nmber"'],
  ])("cannot be made with %s", async (setting, message) => {
    expect(await plannedPipeline(pipelineWith(`${handler}, ${setting}`))).toEqual([message]);
  });
});

it("the plan gives every table the operation column if any filter uses it, so that * means the same everywhere", async () => {
  const { transforms } = await soundPipeline(`
name: x
sources:
  one: { type: dataset, dataset_name: base.raw_blocks }
  other: { type: dataset, dataset_name: base.raw_blocks, filter: "_ab_op <> 'd'" }
transforms:
  all: { sql: "SELECT *, 1 AS last FROM one UNION ALL SELECT *, 2 FROM other", primary_key: id }
sinks: { shown: { type: print, from: all } }`);
  expect(transforms[0]?.schema.columns.map(({ name }) => name).slice(-2)).toEqual(["_ab_op", "last"]);
});

describe("a cast of an integer", () => {
  const casting = (type: string): string => `
name: x
sources: { moved: { type: dataset, dataset_name: base.erc20_transfers } }
transforms: { made: { sql: "SELECT id, CAST(amount AS ${type}) AS amount FROM moved", primary_key: id } }
sinks: { shown: { type: print, from: made } }`;

  it.each([
    ["NUMERIC(78)", []],
    ["DECIMAL(18, 3)", []],
    ["NUMERIC", ["sql-inexact: NUMERIC without a width has 3 digits after the point and 15 before it"]],
    ["decimal", ["sql-inexact: NUMERIC without a width has 3 digits after the point and 15 before it"]],
    ["DATE", ["sql-error: no value of BIGNUM can become one of DATE"]],
    ["NUMERIC(78, 18)", ["sql-error: a decimal has between 1 and 38 digits"]],
  ])("%s names the value that does not fit", async (type, expected) => {
    const findings = await findingsIn(casting(type));
    expect(findings.map((finding) => finding.split(", which")[0])).toEqual(expected);
  });
});

describe("an ABI in a query", () => {
  const decoding = (call: string): string => `
name: x
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
transforms: { made: { sql: "SELECT id, ${call} AS made FROM logs", primary_key: id } }
sinks: { shown: { type: print, from: made } }`;
  const fault = "sql-error: the ABI cannot be read: emit Moved(uint256 n)";

  it.each([
    ["evm_log_decode('[]', topics, data)", []],
    ["evm_log_decode('emit Moved(uint256 n)', topics, data)", [fault]],
    ["_ab_log_decode('emit Moved(uint256 n)', topics, data).name", [fault]],
    ["CASE WHEN true THEN evm_tx_decode('emit Moved(uint256 n)', data, data) END", [fault]],
    ["(SELECT evm_log_decode('emit Moved(uint256 n)', topics, data))", [fault]],
  ])("is read when the definition is checked: %s", async (call, expected) => {
    const findings = await findingsIn(decoding(call));
    expect(findings.filter((finding) => !finding.includes("not-streaming"))).toEqual(expected);
  });
});

describe("a dynamic table", () => {
  /** A flow with a query and a dynamic table. */
  function pipelineWith(query: string, settings: string, from = "made"): string {
    return `
name: x
sources: { blocks: { type: dataset, dataset_name: base.raw_blocks } }
transforms:
  miners: { type: dynamic_table, backend_entity_name: miners, ${settings} }
  made: { sql: ${JSON.stringify(query)}, primary_key: id }
sinks: { shown: { type: print, from: ${from} } }`;
  }

  const sound = "SELECT id FROM blocks WHERE dynamic_table_check('miners', miner)";
  const postgres = "backend_type: Postgres, secret_name: DB";

  it("is looked up by queries", async () => {
    const plan = await soundPipeline(pipelineWith(sound, postgres));
    expect(plan.tables?.map(({ name }) => name)).toEqual(["miners"]);
    expect(plan.transforms.map(({ name }) => name)).toEqual(["made"]);
  });

  it("is looked up by filters", async () => {
    const flow = pipelineWith("SELECT id FROM blocks", postgres).replace(
      "base.raw_blocks",
      "base.raw_blocks, filter: \"dynamic_table_check('miners', miner)\"",
    );
    expect((await soundPipeline(flow)).tables).toHaveLength(1);
  });

  it.each([
    [
      "SELECT id FROM blocks WHERE dynamic_table_check('miner', miner)",
      'unknown-node: there is no dynamic table "miner"',
    ],
    [
      "SELECT id FROM blocks WHERE dynamic_table_check('blocks', miner)",
      'unknown-node: there is no dynamic table "blocks"',
    ],
    [
      "SELECT id FROM blocks WHERE dynamic_table_check(miner, 'miners')",
      "sql-forbidden: dynamic_table_check() requires the name of a dynamic table as text",
    ],
    [
      "SELECT id FROM blocks WHERE dynamic_table_check('miners')",
      "sql-error: dynamic_table_check() does not take a text",
    ],
    [
      "SELECT value AS id FROM miners",
      'unknown-node: "miners" is a dynamic table, whose rows cannot be read',
    ],
    ["SELECT id FROM blocks", 'unused-node: no query looks values up in dynamic table "miners"'],
  ])("refuses %s", async (query, message) => {
    expect(await plannedPipeline(pipelineWith(query, postgres))).toContainEqual(
      expect.stringMatching(new RegExp(message.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i")),
    );
  });

  it.each([
    ["backend_type: InMemory", 'missing-key: a dynamic_table in memory requires "sql"'],
    ["backend_type: Postgres", 'missing-key: a dynamic_table in Postgres requires "secret_name"'],
    [
      'backend_type: InMemory, sql: "SELECT miner FROM blocks"',
      'table-fill: every run fills a table in memory again, but "blocks" starts somewhere else each time',
    ],
    [
      `${postgres}, sql: "SELECT miner, id FROM blocks"`,
      'table-fill: the query of table "miners" must give one column of texts or integers',
    ],
    [
      `${postgres}, sql: "SELECT miner FROM blocks WHERE dynamic_table_check('miners', miner)"`,
      "node-cycle: transforms read each other: miners reads miners",
    ],
  ])("cannot have %s", async (settings, message) => {
    expect(await plannedPipeline(pipelineWith(sound, settings))).toEqual([message]);
  });

  it("is filled by a query, which may look up values in another table", async () => {
    const flow = pipelineWith(sound, `${postgres}, sql: "SELECT miner FROM blocks"`).replace(
      "transforms:",
      `transforms:
  parents: { type: dynamic_table, backend_entity_name: p, ${postgres}, sql: "SELECT id FROM blocks WHERE dynamic_table_check('Miners', id)" }
  read: { sql: "SELECT id FROM blocks WHERE dynamic_table_check('parents', id)", primary_key: id }`,
    );
    const { tables } = await soundPipeline(
      `${flow.replace("sinks: {", "sinks: { also: { type: print, from: read },")}`,
    );
    expect(tables?.map(({ name, fill }) => [name, fill?.source.name, fill?.query.lookups])).toEqual([
      ["miners", "blocks", []],
      ["parents", "blocks", ["miners"]],
    ]);
  });

  it.each([
    ["base.raw_blocks", "blocks", 'a table is filled from one source, not from both "more" and "blocks"'],
    [
      "ethereum.raw_blocks",
      "more",
      '"made" looks up rows of "blocks" in table "miners", which is filled from another chain',
    ],
  ])("is filled from one source, on the chain of the rows that look it up: %s", async (dataset, from, message) => {
    const query =
      from === "more"
        ? "SELECT miner FROM more"
        : "SELECT miner FROM blocks UNION ALL SELECT miner FROM more";
    const flow = pipelineWith(sound, `${postgres}, sql: "${query}"`).replace(
      "sources: {",
      `sources: { more: { type: dataset, dataset_name: ${dataset} },`,
    );
    expect(await plannedPipeline(flow)).toEqual([`table-fill: ${message}`]);
  });

  it("cannot be the rows of a sink", async () => {
    expect(await plannedPipeline(pipelineWith(sound, postgres, "miners"))).toEqual([
      'unknown-node: "miners" is a dynamic table, whose rows cannot be read',
    ]);
  });
});
