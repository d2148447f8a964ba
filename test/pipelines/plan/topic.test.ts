import { describe, expect, it } from "vitest";
import { findingsIn, soundPipeline } from "../../support/pipelines/planned-pipeline.js";

/** A pipeline with a topic. @param source further settings of it, each on a line */
const withTopic = (source: string, sink = "type: blackhole"): string => `
name: f
sources:
  orders:
    type: kafka
    topic: orders
    secret_name: K
${source.replaceAll(/^/gm, "    ")}
sinks:
  out: { from: orders, ${sink} }
`;

describe("a topic in a definition", () => {
  it("has the columns of its schema and those of messages, which are its key", async () => {
    const plan = await soundPipeline(withTopic("schema: { id: string, amount: DECIMAL }"));
    expect(plan.sources.map(({ schema }) => schema)).toEqual([
      {
        columns: [
          { name: "id", type: "STRING", nullable: true },
          { name: "amount", type: "DECIMAL", nullable: true },
          { name: "kafka_partition", type: "LONG", nullable: false },
          { name: "kafka_offset", type: "LONG", nullable: false },
          { name: "kafka_timestamp", type: "TIMESTAMP", nullable: false },
          { name: "kafka_key", type: "STRING", nullable: true },
        ],
        key: ["kafka_partition", "kafka_offset"],
      },
    ]);
  });

  it("with envelopes of Debezium has the columns of its schema, and a key without nulls", async () => {
    const settings = "data_format: debezium-json\nprimary_key: ID\nschema: { id: LONG, name: STRING }";
    const plan = await soundPipeline(withTopic(settings));
    expect(plan.sources.map(({ schema }) => schema)).toEqual([
      {
        columns: [
          { name: "id", type: "LONG", nullable: false },
          { name: "name", type: "STRING", nullable: true },
        ],
        key: ["id"],
      },
    ]);
  });

  it.each([
    ["start_at: earliest", 'missing-key: a kafka source requires "schema"'],
    ["schema: { id: text }", 'wrong-value: "text" is not a type of a column'],
    ["schema: { id: LONG, ID: LONG }", 'duplicate-key: two columns have the name "ID"'],
    ["schema: { Kafka_Offset: LONG }", 'duplicate-key: each message has a column "Kafka_Offset" already'],
    [
      "schema: { id: LONG }\non_error: park",
      'sink-cannot-park: sink "out" keeps nothing aside, and "orders" leaves that to its sinks',
    ],
    ["schema: { id: LONG }\nprimary_key: no", 'unknown-column: the rows have no column "no"'],
    [
      "schema: { id: LONG }\ndata_format: debezium-json",
      "missing-key: a topic with envelopes of Debezium requires",
    ],
    [
      "schema: { id: LONG }\ndata_format: debezium-json\nprimary_key: no",
      'unknown-column: the rows have no column "no"',
    ],
    ["schema: { id: LONG }\nstart_at: 5", 'wrong-value: "start_at" must be earliest or latest'],
    [
      "schema: { id: LONG }\nstart_at: latest\nstarting_offsets: latest",
      "wrong-value: starting_offsets is the same",
    ],
    [
      "schema: { id: LONG }\ndata_format: xml",
      'wrong-value: "data_format" must be json, debezium-json, avro or debezium-avro',
    ],
    ["schema: { id: LONG }\nfilter: amount > 5", 'sql-error: there is no column "amount"'],
  ])("is refused with a mistake in it: %s", async (source, finding) => {
    expect(await findingsIn(withTopic(source))).toEqual([expect.stringContaining(finding)]);
  });

  it("may leave messages that cannot be read to sinks that keep rows aside", async () => {
    const sink = "type: duckdb, path: d, table: t, on_error: park";
    await soundPipeline(withTopic("schema: { id: LONG }\non_error: park", sink));
    expect(
      await findingsIn(withTopic("schema: { id: LONG }\nprimary_key: id\non_error: park", sink)),
    ).toEqual(["wrong-value: a message that changes a row by its key cannot be kept aside"]);
  });

  const keyed = "primary_key: id\nschema: { id: LONG, name: STRING }";

  it("whose messages replace each other has the columns of its schema, and goes to sinks that delete by its key", async () => {
    const plan = await soundPipeline(withTopic(keyed, "type: clickhouse, secret_name: C, table: t"));
    expect(plan.sources.map(({ schema, replaces }) => [schema.key, replaces])).toEqual([[["id"], true]]);
    await soundPipeline(withTopic(keyed, "type: kafka, secret_name: K, topic: t, deletions: tombstone"));
  });

  it.each([
    ["type: file, path: out, finalized: true", "only adds rows, and later messages replace rows"],
    ["type: webhook, url: https://example.org", "needs whole rows that are gone"],
    ["type: kafka, secret_name: K, topic: t", "needs whole rows that are gone"],
    ["type: kafka, secret_name: K, topic: t, data_format: debezium-json", "needs whole rows that are gone"],
    [
      "type: postgres_aggregate, secret_name: P, landing_table: l, agg_table: a, group_by: { name: {} }, aggregate: { n: { fn: count } }",
      "needs whole rows that are gone",
    ],
    ["type: clickhouse, secret_name: C, table: t, primary_key: name", "its key is not id of the topic"],
    ["type: clickhouse, secret_name: C, table: t, primary_key: [id, name]", "its key is not id of the topic"],
  ])("whose messages replace each other is refused by a sink that cannot delete by its key: %s", async (sink, why) => {
    expect(await findingsIn(withTopic(keyed, sink))).toEqual([
      expect.stringMatching(new RegExp(`^sink-cannot-delete: sink "out" .*${why}`)),
    ]);
  });

  const through = (sql: string): string => `
name: f
sources:
  orders: { type: kafka, topic: orders, secret_name: K, primary_key: id, schema: { id: LONG, name: STRING } }
  other: { type: kafka, topic: other, secret_name: K, primary_key: id, schema: { id: LONG, name: STRING } }
transforms:
  middle: { primary_key: id, sql: "SELECT *, upper(name) AS big FROM orders AS o WHERE name <> 'x'" }
  rows: { primary_key: code, sql: "${sql}" }
sinks:
  out: { from: rows, type: blackhole }
  middles: { from: middle, type: blackhole }
  others: { from: other, type: blackhole }
`;

  it.each([
    "SELECT id AS code, big FROM middle",
    "SELECT big, m.ID AS code FROM middle m",
    "SELECT o.id AS code, t.label FROM orders o LEFT JOIN (VALUES ('a', 'b')) AS t(name, label) ON t.name = o.name",
    "SELECT id AS code, name FROM orders UNION ALL SELECT id, name FROM other UNION ALL SELECT id, big FROM middle",
  ])("has a key that queries pass on: %s", async (sql) => {
    await soundPipeline(through(sql));
  });

  it.each([
    "SELECT id + 1 AS code FROM middle",
    "SELECT name AS code FROM orders",
    "SELECT lower(name) AS id, id AS x, x AS code FROM orders",
    "SELECT id AS code FROM orders UNION ALL SELECT -id FROM other",
    "SELECT t.id AS code FROM orders o LEFT JOIN (VALUES ('a', 5)) AS t(name, id) ON t.name = o.name",
    "WITH w AS (SELECT * FROM orders) SELECT id AS code FROM w",
  ])("has a key that a query does not pass on: %s", async (sql) => {
    expect(await findingsIn(through(sql))).toEqual([
      expect.stringContaining("its key is not id of the topic"),
    ]);
  });

  it("is added to files, unless its rows change", async () => {
    const files = "type: file, path: out, finalized: true";
    await soundPipeline(withTopic("schema: { id: LONG }", files));
    const settings = "data_format: debezium-json\nprimary_key: id\nschema: { id: LONG }";
    expect(await findingsIn(withTopic(settings, files))).toEqual([
      'sink-cannot-delete: sink "out" only adds rows, and rows of Debezium are updated and deleted',
    ]);
  });

  it("cannot be aggregated in a job, or fill a table", async () => {
    const yaml = (query: string): string => `
name: f
job: true
sources:
  orders: { type: kafka, topic: orders, secret_name: K, start_at: earliest, schema: { id: STRING } }
transforms:
${query}
`;
    const counted = `  n: { sql: SELECT count(*) AS n FROM orders, primary_key: n }
sinks: { out: { type: blackhole, from: n } }`;
    expect(await findingsIn(yaml(counted))).toEqual([
      expect.stringMatching(/^sql-not-streaming: .*, and a topic has no order of all its messages$/),
    ]);
    const filled = `  t: { type: dynamic_table, backend_type: InMemory, backend_entity_name: t, sql: SELECT id FROM orders }
sinks: { out: { type: blackhole, from: orders } }`;
    expect(await findingsIn(yaml(filled))).toContain(
      'table-fill: a table cannot be filled from "orders": messages have no order with rows of other sources',
    );
  });
});
