import { describe, expect, it } from "vitest";
import type { RowValue } from "../../../src/pipelines/changes/rows.js";
import { checkDefinition } from "../../../src/pipelines/host/check-definition.js";
import { lineageOf, lineageText } from "../../../src/pipelines/plan/lineage.js";
import type { PlannedSink } from "../../../src/pipelines/plan/pipeline-plan.js";
import type { SubgraphCatalog } from "../../../src/pipelines/plan/subgraph-catalog.js";
import { openProgram } from "../../../src/pipelines/runner/program.js";
import { testFolder } from "../../support/folder.js";
import { onlySql } from "../../support/pipelines/law-pipeline.js";
import { findingsIn, soundPipeline } from "../../support/pipelines/planned-pipeline.js";
import { objectsOf, rowsOf } from "../../support/pipelines/row-objects.js";
import { storedQuery } from "../../support/pipelines/stored-rows.js";

type RowObject = Readonly<Record<string, RowValue>>;

/** A pipeline whose query looks up the logs of a chain. */
function pipelineWith(query: string): string {
  return `
name: x
sources: { logs: { type: dataset, dataset_name: base.raw_logs } }
transforms:
  made:
    primary_key: id
    sql: |
      ${query.replaceAll("\n", "\n      ")}
sinks: { shown: { type: print, from: made } }`;
}

/** What the query of a pipeline makes of logs. @param files files beside its definition */
async function madeOf(
  yaml: string,
  logs: readonly RowObject[],
  files?: Readonly<Record<string, string>>,
): Promise<readonly RowObject[]> {
  const plan = await soundPipeline(yaml, undefined, false, files);
  const sink = plan.sinks[0] as PlannedSink;
  const columns = plan.sources[0]?.schema.columns ?? [];
  const program = await openProgram(plan, sink, onlySql);
  try {
    const delta = { minus: rowsOf(columns, logs), plus: rowsOf(columns, logs.slice(1)) };
    const { minus, plus } = await program.apply("logs", delta);
    const made = objectsOf(sink.schema.columns, minus);
    // Rows that are gone are computed like new ones.
    expect(objectsOf(sink.schema.columns, plus)).toEqual(
      made.filter(({ id }) => String(id).replace("!", "") !== logs[0]?.id),
    );
    return made;
  } finally {
    await program.close();
  }
}

const tokens = "(VALUES ('0xa', 'USDC', 6), ('0xb', NULL, 18)) AS t(address, symbol, decimals)";

describe("a query that joins rows with a list", () => {
  it("keeps each row once and in order, with nulls where the list has no such key", async () => {
    const logs = Array.from({ length: 5_000 }, (_, index) => ({
      id: String(index),
      address: ["0xa", "0xc", null, "0xb"][index % 4] ?? null,
    }));
    const query = `SELECT logs.id, t.* FROM logs LEFT JOIN ${tokens} ON t.address = logs.address`;
    const made = await madeOf(pipelineWith(query), logs);
    expect(made.map(({ id }) => id)).toEqual(logs.map(({ id }) => id));
    expect(made.slice(0, 4)).toEqual([
      { id: "0", address: "0xa", symbol: "USDC", decimals: 6n },
      { id: "1", address: null, symbol: null, decimals: null },
      { id: "2", address: null, symbol: null, decimals: null },
      { id: "3", address: "0xb", symbol: null, decimals: 18n },
    ]);
  });

  it("counts keys of new rows that are not found, also if the rows are computed from files", async () => {
    const plan = await soundPipeline(
      pipelineWith(`SELECT logs.id, t.symbol FROM logs LEFT JOIN ${tokens} ON t.address = logs.address`),
    );
    const columns = plan.sources[0]?.schema.columns ?? [];
    const logs = ["0xa", "0xc", null, "0xc", "0xd"].map((address, id) => ({ id: String(id), address }));
    const rows = rowsOf(columns, logs);
    const program = await openProgram(plan, plan.sinks[0] as PlannedSink, onlySql);
    try {
      await program.apply("logs", { minus: rows, plus: rows });
      expect(program.misses).toBe(3);
      const given = await storedQuery(
        testFolder(),
        columns.map((column) => ({ ...column, nullable: true })),
        rows,
      );
      const stored = await program.applyStored?.("logs", given);
      const made = await stored?.rows();
      expect(made?.columns[1]).toEqual(["USDC", null, null, null, null]);
      expect(program.misses).toBe(6);
    } finally {
      await program.close();
    }
  });

  it.each([
    [
      "drops rows without a match if the join is an inner one",
      `SELECT logs.id, symbol FROM logs JOIN ${tokens} ON logs.address = t.address`,
      ["1 USDC"],
    ],
    [
      "finds rows in a list that WITH names, after another lookup, in a part of a UNION",
      `WITH chosen(who, n) AS (VALUES ('0xa', 7)),
        places(n, name) AS (VALUES (7, 'here'), (8, 'there'))
      SELECT id, name FROM (
        SELECT id, p.name FROM logs LEFT JOIN chosen AS c ON lower(address) = c.who LEFT JOIN places AS p ON p.n = c.n
        UNION ALL
        SELECT id || '!', t.symbol FROM logs JOIN ${tokens} ON t.address = logs.address)`,
      ["1 here", "2 null", "1! USDC"],
    ],
    [
      "finds rows by several columns, by integers of any size, and by casts",
      `SELECT logs.id, t.name FROM logs JOIN (VALUES
          ('0xa', CAST('7' AS NUMERIC(78)), 'seven'),
          ('0xa', CAST('115792089237316195423570985008687907853269984665640564039457584007913129639935' AS NUMERIC(78)), 'all'),
          ('0xe', CAST('7' AS NUMERIC(78)), 'e')) AS t(address, n, name)
        ON t.address = logs.address AND t.n = CASE WHEN id = '1' THEN CAST(block_number AS INTEGER)::NUMERIC(78) END`,
      ["1 seven"],
    ],
  ])("%s", async (_, query, expected) => {
    const logs = [
      { id: "1", address: "0xa", block_number: 7n },
      { id: "2", address: "0xe", block_number: 9n },
    ];
    const made = await madeOf(pipelineWith(query), logs);
    expect(made.map((row) => Object.values(row).map(String).join(" "))).toEqual(expected);
  });

  it.each([
    [
      `SELECT id FROM logs RIGHT JOIN ${tokens} ON t.address = logs.address`,
      "sql-not-streaming: a right join cannot look rows up in a list",
    ],
    [`SELECT id FROM logs, ${tokens}`, "sql-not-streaming: a cross join cannot look rows up in a list"],
    [
      `SELECT id FROM logs LEFT JOIN ${tokens} ON t.decimals > block_number`,
      "sql-not-streaming: a list is looked up by equality of its columns with expressions of the row",
    ],
    [
      `SELECT id FROM logs LEFT JOIN ${tokens} ON t.address = logs.address OR t.symbol = data`,
      "sql-not-streaming: a list is looked up by equality of its columns with expressions of the row",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES ('0xa', 1)) AS t(address, n) USING (address)`,
      "sql-not-streaming: a list is joined ON its key",
    ],
    [
      `SELECT t.symbol AS id FROM ${tokens}`,
      "sql-not-streaming: without a source, a SELECT gives its rows again for every batch",
    ],
    [
      `WITH t(address, n) AS (VALUES ('0xa', 1)) SELECT address AS id FROM t`,
      "sql-not-streaming: without a source, a SELECT gives its rows again for every batch",
    ],
    [
      `SELECT id FROM logs LEFT JOIN ${tokens} ON t.addres = logs.address`,
      'sql-error: "t" has no column "addres"',
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES ('a', 1), ('a', 2)) AS t(address, n) ON t.address = logs.address`,
      "lookup-list: the list has the key a twice, so that a row would become two",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES ('1', 1)) AS t(k, n) ON t.k = block_number`,
      "lookup-list: the key k of the list is text, and what it is compared with is an integer",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES (1.5, 1)) AS t(k, n) ON t.k = 1.5::DOUBLE`,
      "lookup-list: the key k of the list is neither text nor an integer, and what it is compared with is neither text nor an integer",
    ],
    [
      `SELECT id FROM logs LEFT JOIN (VALUES (now(), 1)) AS t(k, n) ON t.k = logs.address`,
      "sql-forbidden: now() gives the time of the run, so that no row can be computed again",
    ],
  ])("cannot be %s", async (query, finding) => {
    expect(await findingsIn(pipelineWith(query))).toContainEqual(expect.stringContaining(finding));
  });
});

/** A pipeline whose query looks up in a file. */
function pipelineOfFile(lookup: string, query: string): string {
  return pipelineWith(query).replace("\nsinks:", `\nlookups: { tokens: { type: file, ${lookup} } }\nsinks:`);
}

const csv = 'address,symbol,decimals\r\n0xa,"US ""D"", C",6\r\n0xb,,18\r\n';
const json = `[
  { "address": "0xa", "decimals": 6, "supply": 115792089237316195423570985008687907853269984665640564039457584007913129639935 },
  { "address": "0xb", "decimals": null, "supply": 7, "isStable": true }
]`;

describe("a query that joins rows with a file", () => {
  const logs = ["0xb", "0xc", "0xa", null].map((address, index) => ({ id: String(index), address }));

  it.each([
    [
      "CSV, with types of columns",
      "path: tokens.csv, key: address, columns: { decimals: uint64 }",
      "SELECT id, t.* FROM logs LEFT JOIN tokens AS t ON logs.address = t.address",
      ["0 0xb null 18", "1 null null null", '2 0xa US "D", C 6', "3 null null null"],
    ],
    [
      "JSON, with the types of its values, in a job and in two queries",
      "path: tokens.json, key: address",
      `WITH found AS (SELECT id, logs.address, tokens.supply FROM logs JOIN tokens ON tokens.address = logs.address)
      SELECT id, found.supply + 1 AS supply, o.decimals FROM found LEFT JOIN tokens AS o ON o.address = found.address`,
      ["0 8 null", "2 115792089237316195423570985008687907853269984665640564039457584007913129639936 6"],
    ],
    [
      "a key of several columns in any order",
      "path: tokens.csv, key: 'decimals, address', columns: { decimals: int64 }",
      "SELECT id, symbol FROM logs JOIN tokens t ON t.address = logs.address AND t.decimals = CAST(id AS BIGINT) + 4",
      ['2 US "D", C'],
    ],
  ])("reads %s", async (_, lookup, query, expected) => {
    const yaml = pipelineOfFile(lookup, query);
    const made = await madeOf(yaml, logs, { "tokens.csv": csv, "tokens.json": json });
    expect(made.map((row) => Object.values(row).map(String).join(" "))).toEqual(expected);
  });

  it("has another lineage if a row of the file changes, and the same if only its form does", async () => {
    const yaml = pipelineOfFile(
      "path: t.csv, key: a",
      "SELECT id, t.* FROM logs LEFT JOIN tokens AS t ON logs.address = t.a",
    );
    const of = async (text: string): Promise<string> => {
      const plan = await soundPipeline(yaml, undefined, false, { "t.csv": text });
      return lineageText(lineageOf("made", plan));
    };
    const first = await of("a,b\n1,2\n");
    expect(await of('"a",b\r\n"1",2')).toBe(first);
    expect(await of("a,b\n1,3\n")).not.toBe(first);
  });

  const sound = "SELECT id, t.symbol FROM logs LEFT JOIN tokens t ON t.address = logs.address";
  it.each([
    ["path: none.csv, key: address", sound, 'lookup-file: there is no file "none.csv"'],
    ["path: tokens.xls, key: address", sound, "lookup-file: a lookup reads files that end in .csv or .json"],
    ["path: tokens.csv, key: adress", sound, 'unknown-column: the file has no column "adress"'],
    [
      "path: tokens.csv, key: address, columns: { decimals: int }",
      sound,
      'wrong-value: "int" is not a type of a column',
    ],
    [
      "path: tokens.csv, key: address, columns: { symbol: int64 }",
      sound,
      "lookup-file: this is not a value of type int64",
    ],
    [
      "path: tokens.csv, key: address, columns: { name: string }",
      sound,
      'unknown-column: the file of "tokens" has no column "name"',
    ],
    ["path: twice.csv, key: a", sound, "lookup-file: the key 0xa is in the file twice"],
    ["path: empty.csv, key: a", sound, "lookup-file: a row has no key"],
    ["path: short.csv, key: a", sound, "lookup-file: the header has 2 fields, and this line 1"],
    ["path: open.csv, key: a", sound, "lookup-file: a field whose quotes are not closed"],
    ["path: object.json, key: a", sound, "lookup-file: the file is not a list"],
    ["path: nested.json, key: a", sound, 'lookup-file: "b" is a list or an object'],
    [
      "path: tokens.csv, key: address",
      sound.replace("t.address", "t.symbol"),
      'sql-not-streaming: "tokens" is looked up by address',
    ],
    [
      "path: tokens.csv, key: address",
      "SELECT address AS id FROM tokens",
      "sql-not-streaming: without a source, a SELECT gives its rows again for every batch",
    ],
    ["path: tokens.csv, key: address", "SELECT id FROM logs", 'unused-node: no query joins lookup "tokens"'],
    [
      "path: tokens.csv, key: decimals, columns: { decimals: int64 }",
      "SELECT id FROM logs LEFT JOIN tokens t ON t.decimals = logs.address",
      "lookup-list: the key decimals of the list is an integer, and what it is compared with is text",
    ],
  ])("cannot be %s with %s", async (lookup, query, finding) => {
    const files = {
      "tokens.csv": csv,
      "twice.csv": "a,b\n0xa,1\n0xa,2\n",
      "empty.csv": "a,b\n,1\n",
      "short.csv": "a,b\n1\n",
      "open.csv": 'a,b\n1,"2\n',
      "object.json": "{}",
      "nested.json": '[{ "a": "1", "b": [] }]',
    };
    expect(await findingsIn(pipelineOfFile(lookup, query), files)).toContainEqual(
      expect.stringContaining(finding),
    );
  });
});

describe("a lookup in a database", () => {
  const lookup = "tokens: { type: postgres, secret_name: S, table: t, key: a, columns: { b: int64 }";
  /** @param nodes sources, and transforms beside the query that looks up */
  const pipelineOf = (nodes: string, reads = "logs", more = ""): string => `
name: x
${more}lookups: { ${lookup} } }
${nodes}
  made: { primary_key: id, sql: "SELECT ${reads}.id, t.b FROM ${reads} LEFT JOIN tokens AS t ON t.a = ${reads}.id" }
sinks: { shown: { type: print, from: made } }`;
  const logs = "logs: { type: dataset, dataset_name: base.raw_logs, start_at: 1, end_block: 9 }";
  const topic =
    "logs: { type: kafka, secret_name: K, topic: t, data_format: debezium-json, primary_key: id, schema: { id: string } }";
  const history = (yaml: string): string => yaml.replace(`${lookup} }`, `${lookup}, valid_from: c }`);

  it.each([
    [
      pipelineOf(`sources: { ${topic} }\ntransforms:`),
      '"tokens" may change, and "logs" has rows from before a change, which have to be computed as they were written',
    ],
    [
      pipelineOf(`sources: { ${topic.replace("debezium-json", "debezium-avro")} }\ntransforms:`),
      '"tokens" may change, and "logs" has rows from before a change, which have to be computed as they were written',
    ],
    [
      pipelineOf(`sources: { ${logs} }
transforms:
  list: { type: dynamic_table, backend_type: InMemory, backend_entity_name: l, sql: SELECT id FROM made }
  kept: { primary_key: id, sql: "SELECT id FROM logs WHERE dynamic_table_check('list', id)" }`).replace(
        "from: made",
        "from: kept",
      ),
      '"tokens" may change, and "list" is filled again with every run',
    ],
    [
      pipelineOf(
        `sources: { ${logs} }\ntransforms:\n  sums: { primary_key: id, sql: SELECT id FROM made ORDER BY id }`,
        "logs",
        "job: true\n",
      ).replace("from: made", "from: sums"),
      '"tokens" may change, and "sums" is computed again if the job is interrupted',
    ],
    [
      history(
        pipelineOf(`sources: { ${topic.replace("debezium-json, primary_key: id", "json")} }\ntransforms:`),
      ),
      '"tokens" has valid_from, and rows of "logs" have no block',
    ],
    [
      history(
        pipelineOf(
          `sources: { ${logs}, ${logs.replace("logs", "more").replace("base.", "ethereum.")} }
transforms:
  all_of_them: { primary_key: id, sql: SELECT id FROM logs UNION ALL SELECT id FROM more }`,
          "all_of_them",
        ),
      ),
      '"tokens" has valid_from, and its rows are looked up for blocks of several chains',
    ],
  ])("is refused where a row may have to be computed again: %#", async (yaml, message) => {
    expect(await findingsIn(yaml)).toEqual([`lookup-table: ${message}`]);
  });

  it("names types that are none, and keys that cannot be compared", async () => {
    const yaml = pipelineOf(`sources: { ${logs} }\ntransforms:`);
    expect(await findingsIn(yaml.replace("int64", "int"))).toEqual([
      'wrong-value: "int" is not a type of a column',
    ]);
    expect(await findingsIn(yaml.replace("b: int64", "b: int64, a: float64"))).toEqual([
      'lookup-table: "a" cannot be a key: keys are texts or integers',
    ]);
  });

  it("has another lineage for another table, and the same for another secret and cache", async () => {
    const yaml = pipelineOf(`sources: { ${logs} }\ntransforms:`);
    const of = async (text: string): Promise<string> =>
      lineageText(lineageOf("made", await soundPipeline(text)));
    const first = await of(yaml);
    expect(await of(yaml.replace("secret_name: S", "secret_name: T, cache_ttl: 1h, schema: public"))).toBe(
      first,
    );
    expect(await of(yaml.replace("table: t", "table: u"))).not.toBe(first);
    expect(await of(history(yaml))).not.toBe(first);
  });
});

it("a server refuses a file, asks for the secret of a database, and looks rows up in a list of the query", async () => {
  const world = {
    memory: 256,
    subgraphs: { find: async () => [] } as unknown as SubgraphCatalog,
    secret: async () => undefined,
    read: async (): Promise<never> => {
      throw new Error("there is no network");
    },
  };
  const query = "SELECT id, t.symbol FROM logs LEFT JOIN tokens t ON t.address = logs.address";
  const ofFile = pipelineOfFile("path: tokens.csv, key: address", query);
  expect((await checkDefinition({ text: ofFile, variables: {} }, world)).findings).toMatchObject([
    { code: "lookup-file", message: "a server has no files of a definition", field: "lookups.tokens.path" },
  ]);
  const ofDatabase = ofFile.replace(
    "type: file, path: tokens.csv,",
    "type: mysql, secret_name: NONE, table: t, columns: { symbol: string },",
  );
  expect((await checkDefinition({ text: ofDatabase, variables: {} }, world)).findings).toMatchObject([
    { code: "unknown-secret", field: "lookups.tokens.secret_name" },
  ]);
  const ofList = pipelineWith(`SELECT logs.id FROM logs JOIN ${tokens} ON t.address = logs.address`);
  expect((await checkDefinition({ text: ofList, variables: {} }, world)).findings).toEqual([]);
});
