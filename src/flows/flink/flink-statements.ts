import type { PlannedTransform } from "../plan/flow-plan.js";
import { type FlinkSink, isFlinkSink } from "./check-sink.js";
import { seenColumn, topicTypes } from "./column-types.js";
import type { KafkaOptions } from "./kafka-options.js";
import { createSinkTable, insertInto, type SinkPlaces } from "./sink-table.js";
import { type FlinkFlow, type FlinkTopic, isFinalOnly, nodesBehind } from "./split-flow.js";
import { optionLines, quotedName, setting } from "./sql-text.js";

/** What the statements of a flow are made with. */
export interface FlinkOptions extends SinkPlaces {
  /** The cluster of the topics that our runner writes. */
  readonly topics: KafkaOptions;
  /** The name of the job. */
  readonly jobName: string;
  /** Whether the job ends at the records that the topics have when it starts. */
  readonly isBounded: boolean;
}

/** The statements of a flow, in order. */
export interface FlinkStatements {
  /** Each is a statement without a semicolon at its end. */
  readonly preparing: readonly FlinkStatement[];
  /** The one that starts the job. */
  readonly starting: string;
}

/** A statement, and what it is for. */
export interface FlinkStatement {
  readonly about: string;
  readonly text: string;
}

/** Databases in the catalogs, beside those of queries. */
const [flowDatabase, topicDatabase, sinkDatabase] = ["flow", "graphloom_topics", "graphloom_sinks"];

/** The statements by which Flink runs its part of a flow. */
export function flinkStatements(flow: FlinkFlow, options: FlinkOptions): FlinkStatements {
  const sinks = flow.sinks.filter(isFlinkSink);
  const preparing: FlinkStatement[] = [...settingsOf(options)];
  const inserts: string[] = [];
  for (const isFinal of [false, true]) {
    const taken = sinks.filter((sink) => isFinalOnly(sink) === isFinal);
    if (taken.length === 0) continue;
    const catalog = isFinal ? "graphloom_final" : "graphloom";
    const topics = flow.topics.filter((topic) => topic.isFinal === isFinal);
    const needed = nodesBehind(taken, flow.views);
    const views = flow.views.filter(({ name }) => needed.has(name));
    preparing.push(
      ...catalogStatements(catalog, isFinal, [
        ...topics.map(({ node }) => node.name),
        ...views.map(({ name }) => name),
      ]),
      ...topics.flatMap((topic) => topicStatements(topic, flow.plan.operations, options)),
      ...views.map(viewStatement),
      ...taken.map((sink) => ({
        about: `sink ${sink.name}`,
        text: createSinkTable(sink, sinkTable(catalog, sink), options),
      })),
    );
    for (const sink of taken)
      inserts.push(
        insertInto(sink, sinkTable(catalog, sink), nodeName(sink.from, catalog), options.integers),
      );
  }
  return {
    preparing,
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
    // A value that a type cannot hold is an error, and not null.
    ["table.exec.legacy-cast-behaviour", "DISABLED"],
  ] as const;
  return settings.map(([name, value]) => ({ about: "how the job runs", text: setting(name, value) }));
}

/** A catalog in memory, which leaves those of the cluster alone. */
function catalogStatements(
  catalog: string,
  isFinal: boolean,
  nodes: readonly string[],
): readonly FlinkStatement[] {
  const about = isFinal ? "tables of final rows" : "tables of rows that may still be deleted";
  const own = nodes.flatMap((name) => (name.includes(".") ? [databaseOf(name)] : []));
  return [
    {
      about,
      text: `CREATE CATALOG ${quotedName(catalog)} WITH ('type' = 'generic_in_memory', 'default-database' = '${flowDatabase}')`,
    },
    { about, text: `USE CATALOG ${quotedName(catalog)}` },
    ...[...new Set([topicDatabase, sinkDatabase, ...own])].map((database) => ({
      about,
      text: `CREATE DATABASE IF NOT EXISTS ${quotedName(database)}`,
    })),
  ];
}

/** The table of a topic, and what queries see of it. */
function topicStatements(
  { node, topic }: FlinkTopic,
  operations: readonly string[],
  { topics, integers, isBounded }: FlinkOptions,
): readonly FlinkStatement[] {
  const { columns, key } = node.schema;
  const table = `${quotedName(topicDatabase)}.${quotedName(node.name)}`;
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
  const seen = [
    ...columns.map(({ name, type }) => seenColumn(name, type, integers)),
    ...operations.map((name) => `'i' AS ${quotedName(name)}`),
  ];
  return [
    {
      about: `rows of ${node.name}`,
      text: `CREATE TABLE ${table} (\n${lines.join(",\n")},\n  PRIMARY KEY (${key.map(quotedName).join(", ")}) NOT ENFORCED\n) WITH (\n${optionLines(options)}\n)`,
    },
    {
      about: `${node.name}, as queries see it`,
      text: `CREATE VIEW ${nodeName(node.name)} AS\nSELECT\n${seen.map((column) => `  ${column}`).join(",\n")}\nFROM ${table}`,
    },
  ];
}

function viewStatement({ name, definition, schema }: PlannedTransform): FlinkStatement {
  const sql = definition.type === "sql" ? (definition.settings.sql?.value ?? "") : "";
  const columns = schema.columns.map((column) => quotedName(column.name)).join(", ");
  // A comment at the end of the query must not hide what follows.
  return {
    about: `transform ${name}`,
    text: `CREATE VIEW ${nodeName(name)} (${columns}) AS\n${sql.trimEnd()}\n`,
  };
}

function databaseOf(name: string): string {
  return name.slice(0, name.indexOf("."));
}

/** The name of a node in SQL: what stands before its first dot is the database, as in our runner the schema. */
function nodeName(name: string, catalog?: string): string {
  const isQualified = name.includes(".");
  const parts = [
    ...(catalog === undefined ? [] : [catalog]),
    ...(isQualified ? [databaseOf(name)] : catalog === undefined ? [] : [flowDatabase]),
    isQualified ? name.slice(name.indexOf(".") + 1) : name,
  ];
  return parts.map(quotedName).join(".");
}

function sinkTable(catalog: string, sink: FlinkSink): string {
  return [catalog, sinkDatabase, sink.name].map(quotedName).join(".");
}
