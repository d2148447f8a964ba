import type { RowColumn } from "../changes/schema.js";
import type { DatabaseProtocol } from "../sinks/database-address.js";
import { type FlinkSink, overridesOf, writtenColumns } from "./check-sink.js";
import { type IntegerForm, momentText, widest } from "./column-types.js";
import type { JdbcAddress } from "./jdbc-address.js";
import type { KafkaOptions } from "./kafka-options.js";
import { optionLines, quotedName, quotedText } from "./sql-text.js";

/** A sink's column: its type in the sink's table, and the expression that computes it. */
interface SinkColumn {
  readonly name: string;
  readonly type: string;
  readonly value: string;
}

/** How to reach the sinks. */
export interface SinkPlaces {
  readonly integers: IntegerForm;
  /** The cluster of a sink of type kafka. @param secret the name of its secret */
  kafka(secret: string): KafkaOptions;
  /** @param secret the name of the secret with the address */
  jdbc(secret: string, protocol: DatabaseProtocol): JdbcAddress;
}

/**
 * The statement that creates a sink's table.
 * @param table its quoted name
 */
export function createSinkTable(sink: FlinkSink, table: string, places: SinkPlaces): string {
  const lines = sinkColumns(sink, places.integers).map(({ name, type }) => {
    const isKey = sink.schema.key.includes(name);
    return `  ${quotedName(name)} ${type}${isKey ? " NOT NULL" : ""}`;
  });
  const { key } = sink.schema;
  if (sink.definition.type !== "blackhole" && key.length > 0)
    lines.push(`  PRIMARY KEY (${key.map(quotedName).join(", ")}) NOT ENFORCED`);
  return `CREATE TABLE ${table} (\n${lines.join(",\n")}\n) WITH (\n${optionLines(optionsOf(sink, places))}\n)`;
}

/**
 * The query that computes a sink's rows.
 * @param from the quoted name of the node that the sink reads
 */
export function selectFor(sink: FlinkSink, from: string, integers: IntegerForm): string {
  const values = sinkColumns(sink, integers).map(({ value }) => `  ${value}`);
  return `SELECT\n${values.join(",\n")}\nFROM ${from}`;
}

function sinkColumns(sink: FlinkSink, integers: IntegerForm): readonly SinkColumn[] {
  const chosen = overridesOf(sink.definition);
  return writtenColumns(sink).map((column) => {
    const { name } = column;
    const type = chosen.has(name) ? "STRING" : sinkType(column, sink.definition.type, integers);
    return { name, type, value: expressionOf(column, type, sink.definition.type) };
  });
}

/** Databases take text for types that Flink does not have. */
function sinkType({ type }: RowColumn, sink: FlinkSink["definition"]["type"], integers: IntegerForm): string {
  switch (type) {
    case "LONG":
      return "BIGINT";
    case "DOUBLE":
      return "DOUBLE";
    case "BOOLEAN":
      return "BOOLEAN";
    case "DECIMAL":
      return integers === "decimal" && sink === "postgres" ? widest : "STRING";
    case "ARRAY<STRING>":
      return "ARRAY<STRING>";
    default:
      return "STRING";
  }
}

function expressionOf(column: RowColumn, type: string, sink: FlinkSink["definition"]["type"]): string {
  const name = quotedName(column.name);
  if (column.type !== "TIMESTAMP") return `CAST(${name} AS ${type})`;
  const pattern = sink === "mysql_sink" ? "yyyy-MM-dd HH:mm:ss.SSSSSS" : "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'";
  return momentText(name, quotedText(pattern));
}

function optionsOf(sink: FlinkSink, places: SinkPlaces): readonly (readonly [string, string])[] {
  const { definition } = sink;
  const secret = "secret_name" in definition.settings ? (definition.settings.secret_name?.value ?? "") : "";
  switch (definition.type) {
    case "blackhole":
      return [["connector", "blackhole"]];
    case "kafka":
      return [
        ["connector", "upsert-kafka"],
        ["topic", definition.settings.topic?.value ?? ""],
        ["key.format", "json"],
        ["value.format", "json"],
        ["value.json.encode.decimal-as-plain-number", "true"],
        ...places.kafka(secret),
      ];
    default:
      return jdbcOptions(
        definition,
        places.jdbc(secret, definition.type === "postgres" ? "postgres" : "mysql"),
      );
  }
}

function jdbcOptions(
  { type, settings }: Extract<FlinkSink["definition"], { readonly type: "postgres" | "mysql_sink" }>,
  { url, user, password }: JdbcAddress,
): readonly (readonly [string, string])[] {
  const schema = settings.schema?.value ?? (type === "postgres" ? "public" : undefined);
  const table = settings.table?.value ?? "";
  return [
    ["connector", "jdbc"],
    ["url", url],
    ["username", user],
    ["password", password],
    ["table-name", schema === undefined ? table : `${schema}.${table}`],
    ["sink.buffer-flush.max-rows", String(settings.batch_size?.value ?? 1_000)],
    ["sink.buffer-flush.interval", `${settings.batch_flush_interval?.value ?? 1_000} ms`],
  ];
}
