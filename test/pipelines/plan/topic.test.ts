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
    ["schema: { id: LONG }\nprimary_key: id", "wrong-value: each message is a row of its own"],
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
      'wrong-value: "data_format" must be json, debezium-json or avro',
    ],
    ["schema: { id: LONG }\nfilter: amount > 5", 'sql-error: there is no column "amount"'],
  ])("is refused with a mistake in it: %s", async (source, finding) => {
    expect(await findingsIn(withTopic(source))).toEqual([expect.stringContaining(finding)]);
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
