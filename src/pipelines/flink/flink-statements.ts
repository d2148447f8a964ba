import { createHash } from "node:crypto";
import { type FlinkSink, isFlinkSink } from "./check-sink.js";
import { type IntegerForm, seenColumn, topicTypes } from "./column-types.js";
import type { KafkaOptions } from "./kafka-options.js";
import { createSinkTable, type SinkPlaces, selectFor } from "./sink-table.js";
import {
  type FlinkPipeline,
  type FlinkTopic,
  type FlinkView,
  isFinalOnly,
  nodesBehind,
} from "./split-pipeline.js";
import { optionLines, quotedName, setting } from "./sql-text.js";

/** Options for the statements of a pipeline. */
export interface FlinkOptions extends SinkPlaces {
  /** The cluster of the topics that our runner writes. */
  readonly topics: KafkaOptions;
  readonly jobName: string;
  /** Whether the job ends at the records that the topics have when it starts. */
  readonly isBounded: boolean;
}

/** The statements of a pipeline, in order. */
export interface FlinkStatements {
  /** Each is a statement without a semicolon at its end. */
  readonly preparing: readonly FlinkStatement[];
  /** The statement that starts the job. */
  readonly starting: string;
}

/** A statement, and its purpose. */
export interface FlinkStatement {
  readonly about: string;
  readonly text: string;
}

/** A catalog in memory, so that the cluster's own catalogs stay untouched, and its databases. */
const catalog = "graphloom";
const databases = { topics: "topics", final: "final_topics", sinks: "sinks" } as const;

/** The statements with which Flink runs its part of a pipeline. */
export function flinkStatements(flow: FlinkPipeline, options: FlinkOptions): FlinkStatements {
  const sinks = flow.sinks.filter(isFlinkSink);
  const inserts = sinks.map((sink) => insertStatement(sink, flow, options));
  return {
    preparing: [
      ...settingsOf(options),
      ...catalogStatements(),
      ...flow.topics.map((topic) => topicStatement(topic, options)),
      ...sinks.map((sink) => ({
        about: `sink ${sink.name}`,
        text: createSinkTable(sink, tableIn(databases.sinks, sink.name), options),
      })),
    ],
    starting: `EXECUTE STATEMENT SET\nBEGIN\n${inserts.map((insert) => `${insert};\n`).join("\n")}END`,
  };
}

/** The statements as a file for Flink's SQL client. @param head lines of a comment at its beginning */
export function statementsFile({ preparing, starting }: FlinkStatements, head: readonly string[]): string {
  const all = [...preparing, { about: "the job", text: starting }];
  const parts = all.map(({ about, text }, index) => {
    const isFirst = about !== all[index - 1]?.about;
    return `${isFirst ? `\n-- ${oneLine(about)}\n` : ""}${text};\n`;
  });
  return `${head.map((line) => `-- ${oneLine(line)}\n`).join("")}${parts.join("")}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\u2028\u2029]+/g, " ");
}

function settingsOf({ jobName }: FlinkOptions): readonly FlinkStatement[] {
  const settings = [
    ["pipeline.name", jobName],
    ["execution.runtime-mode", "streaming"],
    ["execution.checkpointing.interval", "10 s"],
    ["table.local-time-zone", "UTC"],
    // No hint in a query names another topic or another server.
    ["table.dynamic-table-options.enabled", "false"],
    // A value that a type cannot hold is an error, and not null.
    ["table.exec.legacy-cast-behaviour", "DISABLED"],
  ] as const;
  return settings.map(([name, value]) => ({ about: "how the job runs", text: setting(name, value) }));
}

function catalogStatements(): readonly FlinkStatement[] {
  const name = quotedName(catalog);
  return [
    `CREATE CATALOG ${name} WITH ('type' = 'generic_in_memory', 'default-database' = 'flow')`,
    `USE CATALOG ${name}`,
    ...Object.values(databases).map((database) => `CREATE DATABASE ${quotedName(database)}`),
  ].map((text) => ({ about: "where the tables are", text }));
}

/** The table of a topic. */
function topicStatement(
  { node, topic, isFinal }: FlinkTopic,
  { topics, isBounded }: FlinkOptions,
): FlinkStatement {
  const { columns, key } = node.schema;
  const lines = columns.map(
    ({ name, type }) => `  ${quotedName(name)} ${topicTypes[type]}${key.includes(name) ? " NOT NULL" : ""}`,
  );
  const options = [
    ["connector", "upsert-kafka"],
    ["topic", topic],
    ["key.format", "json"],
    ["value.format", "json"],
    ["value.json.timestamp-format.standard", "ISO-8601"],
    ...(isBounded ? ([["scan.bounded.mode", "latest-offset"]] as const) : []),
    ...topics,
  ] as const;
  return {
    about: `rows of ${node.name}${isFinal ? " that are final" : ""}`,
    text: `CREATE TABLE ${topicTable(node.name, isFinal)} (\n${lines.join(",\n")},\n  PRIMARY KEY (${key.map(quotedName).join(", ")}) NOT ENFORCED\n) WITH (\n${optionLines(options)}\n)`,
  };
}

/**
 * Writes a sink. Each node that leads to it is a query of a WITH, and not a view: Flink 1.20 cannot join or unite a view
 * that an earlier statement has made.
 */
function insertStatement(sink: FlinkSink, flow: FlinkPipeline, { integers }: FlinkOptions): string {
  const isFinal = isFinalOnly(sink);
  const needed = nodesBehind([sink], flow.views);
  const topics = flow.topics.filter((topic) => topic.isFinal === isFinal && needed.has(topic.node.name));
  const nodes = [
    ...topics.map((topic) => topicQuery(topic, flow.plan.operations, integers)),
    ...flow.views.filter(({ name }) => needed.has(name)).map((view) => viewQuery(view, integers)),
  ];
  const into = `INSERT INTO ${tableIn(databases.sinks, sink.name)}`;
  return `${into}\nWITH ${nodes.join(",\n")}\n${selectFor(sink, quotedName(sink.from), integers)}`;
}

/** A topic as queries see it. */
function topicQuery(
  { node, isFinal }: FlinkTopic,
  operations: readonly string[],
  integers: IntegerForm,
): string {
  const seen = [
    ...node.schema.columns.map(({ name, type }) => seenColumn(name, type, integers)),
    ...operations.map((name) => `'i' AS ${quotedName(name)}`),
  ];
  return `${quotedName(node.name)} AS (\n  SELECT ${seen.join(", ")}\n  FROM ${topicTable(node.name, isFinal)}\n)`;
}

/** A user's query, printed from the checked tree. */
function viewQuery({ name, schema, print }: FlinkView, integers: IntegerForm): string {
  const columns = schema.columns.map((column) => quotedName(column.name)).join(", ");
  return `${quotedName(name)} (${columns}) AS (\n${print(integers)}\n)`;
}

function topicTable(node: string, isFinal: boolean): string {
  return tableIn(isFinal ? databases.final : databases.topics, node);
}

function tableIn(database: string, name: string): string {
  return [catalog, database, name].map(quotedName).join(".");
}

/** Options of statements with placeholders such as `${DB.password}` where addresses and secrets belong. */
export function placeholderOptions(
  options: Pick<FlinkOptions, "integers" | "jobName" | "isBounded">,
): FlinkOptions {
  return {
    ...options,
    topics: kafka("KAFKA"),
    kafka,
    jdbc: (secret) => ({
      url: `\${${secret}.url}`,
      user: `\${${secret}.user}`,
      password: `\${${secret}.password}`,
    }),
  };
}

function kafka(secret: string): readonly (readonly [string, string])[] {
  return [["properties.bootstrap.servers", `\${${secret}.brokers}`]];
}

/** Options that change how a sink is written, but neither what nor where. */
const tuning = /^\s*'sink\.buffer-flush\..*\n/gm;

/** A digest of what a job computes and writes. It stays the same if only batches, logins or addresses change. */
export function digestOf(flow: FlinkPipeline, integers: IntegerForm): string {
  const statements = flinkStatements(flow, placeholderOptions({ jobName: "", integers, isBounded: false }));
  const text = statementsFile(statements, []).replaceAll(tuning, "");
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
