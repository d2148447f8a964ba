import { describe, expect, it } from "vitest";
import { graphloom, type Ran, workplace } from "../../cli/harness.js";

function validate(yaml: string, line = "", env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  return graphloom(workplace({ "flow.yaml": yaml }), `pipeline validate flow.yaml ${line}`, { env });
}

const sources = "sources: { logs: { type: dataset, dataset_name: base.raw_logs } }";

describe("pipeline validate", () => {
  it("reports all mistakes of a definition in one run", async () => {
    const { code, err } = await validate(`
name: My Flow
apiVersion: 2
sources:
  logs: { type: dataset, dataset_name: base.raw_log, start_at: soon }
  more: { type: dataset }
  odd: { type: kafkaa }
transforms:
  t: { sql: "SELECT id FROM logs", primary_key: id, colour: red }
sinks:
  a: { type: print, from: nothing }
  b: { type: postgres, from: t, table: x }
  c: { from: t }
`);
    expect(code).toBe(1);
    expect(
      [...err.matchAll(/^error\[(.*?)\]: (.*)\n +--> flow.yaml:(\d+):/gm)].map(
        ([, c, m, l]) => `${l} ${c}: ${m}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "2 wrong-value: a name consists of lower-case letters, digits and hyphens, at most 49 of them",
        "3 wrong-value: apiVersion must be 3",
        "5 unknown-dataset: base has no dataset "raw_log"",
        "5 wrong-type: "start_at" must be earliest, latest or a block number, not "soon"",
        "6 missing-key: a dataset source requires "dataset_name"",
        "7 wrong-value: there is no source of type "kafkaa"",
        "9 unknown-key: a sql transform has no setting "colour"",
        "11 unknown-node: there is no source or transform "nothing"",
        "12 missing-key: a postgres sink requires "secret_name"",
        "13 missing-key: a sink requires "type"",
      ]
    `);
  });

  it("takes a setting without a value as one that is not there", async () => {
    const sink = "a: { type: webhook, from: logs, url: 'https://x.example', headers: null, payload: null }";
    const { code, err } = await validate(`name: x\n${sources}\nsinks: { ${sink} }\n`);
    expect(code).toBe(0);
    expect(err).toContain('note[no-effect]: "payload" has no effect here');
    const without = "a: { type: webhook, from: logs, url: null }";
    expect((await validate(`name: x\n${sources}\nsinks: { ${without} }\n`)).err).toContain(
      'error[missing-key]: a webhook sink requires "url"',
    );
  });

  it.each([
    ["decoded_logs", "", 'decoded_logs requires "abi"'],
    ["decoded_logs", "abi: event Sent(addres to", "the ABI cannot be read"],
    ["raw_logs", "abi: event Sent(address to)", "raw_logs has no use for an ABI"],
    ["decoded_logs", "abi: event Sent(address to)", ""],
  ])("takes an ABI for decoded logs alone: %s with %j", async (kind, abi, message) => {
    const logs = `logs: { type: dataset, dataset_name: base.${kind}, ${abi} }`;
    const { code, err } = await validate(
      `name: x\nsources: { ${logs} }\nsinks: { a: { type: print, from: logs } }\n`,
    );
    expect(code).toBe(message === "" ? 0 : 1);
    expect(err).toContain(message);
  });

  it("takes variables from the command line before the environment, and places mistakes in them", async () => {
    const yaml = `name: x\n${sources.replace("base.raw_logs", `"\${CHAIN}.raw_logs"`)}\nsinks: { a: { type: print, from: logs } }\n`;
    expect((await validate(yaml, "--var CHAIN=base")).code).toBe(0);
    expect((await validate(yaml, "--var CHAIN=base", { CHAIN: "nowhere" })).code).toBe(0);
    const { code, err } = await validate(yaml, "", { CHAIN: "nowhere" });
    expect(code).toBe(1);
    expect(err).toContain('there is no dataset "nowhere.raw_logs"');
    expect(err).toMatch(/flow\.yaml:2:\d+/);
  });

  it.each([
    ["a name", 'name: "a\\0b"'],
    ["a key of a node", 'sources: { "a\\0b": { type: dataset, dataset_name: base.raw_logs } }'],
    ["a key of a setting", 'sources: { logs: { type: dataset, dataset_name: base.raw_logs, "a\\0b": 1 } }'],
    ["a query", "transforms: { t: { sql: \"SELECT id, 'a\\0b' AS x FROM logs\", primary_key: id } }"],
    ["a list", 'transforms: { t: { sql: "SELECT id FROM logs", primary_key: ["a\\0b"] } }'],
    [
      "a map of strings",
      'sinks: { a: { type: webhook, from: logs, url: "https://x.example", headers: { x: "a\\uD800b" } } }',
    ],
    ["a path", 'sinks: { a: { type: file, from: logs, path: "a\\x00b" } }'],
    ["half of a pair", 'sinks: { a: { type: file, from: logs, path: "a\\uDC00\\uD800b" } }'],
    [
      "a script",
      'transforms: { s: { type: script, from: logs, primary_key: id, schema: { id: string }, script: "a\\0b" } }',
    ],
    ["a description", 'description: "a\\0b"'],
    ["a setting that has no effect", 'status: "a\\0b"'],
  ])("finds text that no database can store in %s, at its line", async (_, line) => {
    const { code, err } = await validate(`apiVersion: 3\n${line}\n`);
    expect(code).toBe(1);
    expect(err).toMatch(
      /error\[unstorable-text\]: the text contains (?:a zero byte|half of a surrogate pair)\n +--> flow\.yaml:2:\d+/,
    );
  });

  const sink = "sinks: { a: { type: print, from: logs } }";
  it.each([
    ["name: {{name}}", "{{name}}", "6:7"],
    ["name: x\nstatus:\n  {{#chains}}\n  - y\n  {{/chains}}", "{{#chains}}", "8:3"],
    ["name: x-{{name}}", "{{name}}", "6:9"],
    ["name: <name>", "<name>", "6:7"],
    [
      `name: x\ntransforms: { t: { sql: "SELECT id, '__ABI__' AS a FROM logs", primary_key: id } }`,
      "__ABI__",
      "7:38",
    ],
  ])("says in one sentence that a definition with %j is a template", async (line, placeholder, place) => {
    const { code, err } = await validate(`${sources}\n\n\n${sink}\n\n${line}\n`);
    expect(code).toBe(1);
    expect(err).toContain(
      `error[unset-variable]: the definition is a template, in which "${placeholder}" stands for a value\n`,
    );
    expect(err).toMatch(new RegExp(`--> flow.yaml:${place}\\b`));
    expect(err).toContain("\n1 error\n");
  });

  it("counts the placeholders of a template, and takes comparisons in SQL for what they are", async () => {
    const { err } = await validate(
      `name: <name>\n${sources}\nsinks: { <sink>: { type: print, from: <from> } }\n`,
    );
    expect(err).toContain("hint: replace it, and the other 2 placeholders by a value");
    const sql = "SELECT id FROM logs WHERE block_number <log_index AND log_index> 5";
    const { code } = await validate(
      `name: x\n${sources}\ntransforms: { t: { sql: "${sql}", primary_key: id } }\nsinks: { a: { type: print, from: t } }\n`,
    );
    expect(code).toBe(0);
  });

  it("takes a placeholder in the place of a secret's name for a name", async () => {
    const { code } = await validate(
      `name: x\n${sources}\nsinks: { a: { type: postgres, from: logs, table: t, secret_name: <YOUR_SECRET> } }\n`,
    );
    expect(code).toBe(0);
  });

  it("says of a topic without a schema only that the schema is missing", async () => {
    const { err } = await validate(`
name: x
sources: { t: { type: kafka, topic: t, secret_name: S } }
transforms: { v: { sql: "SELECT * EXCLUDE (who) FROM t WHERE t.what = 1", primary_key: id } }
sinks: { a: { type: print, from: v } }
`);
    expect(err).toContain('error[missing-key]: a kafka source requires "schema"');
    expect(err).toContain("1 error\n");
  });

  it("leaves the placeholders of scripts unchanged", async () => {
    const yaml = `name: x\n${sources}\ntransforms: { s: { type: script, from: logs, primary_key: id, schema: { id: string }, script: "\`\${NAME}\`" } }\nsinks: { a: { type: print, from: s } }\n`;
    const { err } = await validate(yaml);
    expect(err).not.toContain("unset-variable");
  });

  it("reads the older form, entities and deployments included", async () => {
    const { err } = await validate(`
name: x
sources:
  - { referenceName: logs, type: dataset, dataset_name: base.raw_logs, startAt: earliest }
transforms:
  - { referenceName: t, sql: "SELECT id FROM logs", primaryKey: id }
sinks:
  - { referenceName: a, type: print, sourceStreamName: t }
`);
    expect(err).toContain("note[old-form]");
    expect(err).toContain("1 note");
  });

  it("says what an empty definition should start with", async () => {
    const { code, err } = await validate("# nothing yet\n");
    expect(code).toBe(1);
    expect(err).toContain("error[empty-config]");
    expect(err).toContain("hint: start with name, sources and sinks\n");
  });

  it("says that a definition without sources or sinks requires one", async () => {
    const { code, err } = await validate("name: x\nsources: {}\nsinks: {}\n");
    expect(code).toBe(1);
    expect(err).toContain("a definition requires at least one source\n");
    expect(err).toContain("a definition requires at least one sink\n");
  });

  it("refuses a value without a name", async () => {
    const { code, err } = await validate("name: x", "--var base");
    expect(code).toBe(2);
    expect(err).toContain("--var: write <NAME>=<value>.");
  });

  it("refuses values that a ClickHouse table cannot keep", async () => {
    const override = "{ id: text, data: Nullable(String), topics: null }";
    const { err } = await validate(`
name: x
${sources}
sinks:
  a: { type: clickhouse, from: logs, table: t, secret_name: S, append_only_mode: false, schema_override: ${override} }
`);
    expect(err).toContain("error[wrong-value]: a clickhouse sink writes only in append-only mode");
    expect(err).toContain('error[wrong-value]: "text" is not a type that a column can have');
    expect(err).toContain("= hint: write a type such as Nullable(String), Int256,");
    expect(err).toContain("2 errors");
  });

  it("refuses partitions that rows cannot have", async () => {
    const partitions = (columns: string): string =>
      `{ type: file, from: blocks, path: p, finalized: true, partition_columns: "${columns}" }`;
    const { err } = await validate(`
name: x
${sources}
transforms:
  blocks:
    primary_key: id
    sql: SELECT id, block_number, to_timestamp(block_timestamp) AS mined, mined::DATE::VARCHAR AS dt, [data] AS all, json_object('a', 1) AS j, 1.5::DOUBLE AS share FROM logs
sinks:
  a: ${partitions("Dt, block_number")}
  b: ${partitions("dat, dt, DT")}
  c: ${partitions("mined")}
  d: ${partitions("id, block_number, dt, mined, all, j, share")}
`);
    expect(err).not.toContain('sink "a"');
    expect(err).toContain('error[unknown-column]: the rows have no column "dat"');
    expect(err).toContain('error[wrong-value]: "dt" is among the partition columns twice');
    expect(err).toContain('error[wrong-value]: rows cannot be partitioned by "mined", which is TIMESTAMP');
    expect(err).toContain("error[wrong-value]: all columns of the rows are partition columns");
    for (const hint of [
      'compute a text in the query, such as "mined"::DATE::VARCHAR AS part',
      'compute a text in the query, such as "all"[1] AS part',
      `compute a text in the query, such as "j"->>'field' AS part`,
      'compute a whole number in the query, such as floor("share")::BIGINT AS part',
    ])
      expect(err).toContain(`hint: ${hint}`);
    expect(err).toContain("8 errors");
  });

  it("refuses tombstones in the place of Debezium's deletions", async () => {
    const settings = "data_format: debezium-json, deletions: tombstone";
    const { err } = await validate(`
name: x
${sources}
sinks:
  a: { type: kafka, from: logs, topic: t, secret_name: S, ${settings} }
`);
    expect(err).toContain("error[wrong-value]: Debezium's envelopes hold the row that is deleted");
    expect(err).toContain("1 error");
  });

  it("refuses names that Avro does not allow, and an invalid registry address", async () => {
    const settings = "data_format: avro, schema_registry_url: registry";
    const { err } = await validate(`
name: x
${sources}
transforms:
  named: { sql: 'SELECT id, address AS "the address" FROM logs', primary_key: id }
sinks:
  a: { type: kafka, from: named, topic: t, secret_name: S, ${settings} }
`);
    expect(err).toContain('error[wrong-value]: column "the address" cannot be a field in Avro');
    expect(err).toContain('error[wrong-value]: "registry" is not an address');
    expect(err).toContain("2 errors");
  });
});
