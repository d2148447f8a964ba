import { quote } from "../../base/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Located } from "../../compiler/source/source.js";
import type { RowColumn } from "../changes/schema.js";
import { clickHouseType } from "../definition/clickhouse-type.js";
import type { DefinedPipeline, SinkDefinition } from "../definition/definition.js";
import { mysqlTypes, overrideType, postgresTypes } from "../definition/override-type.js";
import type { Named } from "../definition/settings.js";
import { addingSinks, parkingSinks, type SinkType } from "../definition/shapes.js";
import { checkHttp } from "./check-http.js";
import { checkKafka } from "./check-kafka.js";
import { checkKey, findColumn } from "./check-key.js";
import { checkPartitions } from "./check-partitions.js";
import type { PlannedSink, PlannedSource, PlannedTransform } from "./pipeline-plan.js";
import { planAggregation } from "./plan-aggregation.js";

/** Finds out what each sink takes, and reports what it cannot take. Sinks with errors are left out. */
export function planSinks(
  { sinks }: DefinedPipeline,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  report: Report,
): readonly PlannedSink[] {
  return sinks.flatMap((sink) => planSink(sink, nodes, report) ?? []);
}

function planSink(
  definition: SinkDefinition,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  report: Report,
): PlannedSink | undefined {
  const { type, name, settings } = definition;
  const wanted = settings.from?.value.toLowerCase();
  const from = nodes.find((node) => node.name.toLowerCase() === wanted);
  if (!from) return undefined;
  const { columns } = from.schema;
  if (addingSinks.has(type) && readsEntity(from, nodes))
    report.error(
      "sink-cannot-delete",
      name.at,
      `sink ${quote(name.value)} only adds rows, and entities are updated in final blocks, too`,
      { hint: "write entities to a sink that updates rows, such as postgres" },
    );
  else if (addingSinks.has(type) && settings.finalized?.value !== true)
    report.error("sink-cannot-delete", name.at, `sink ${quote(name.value)} cannot delete rows`, {
      hint: "add finalized: true, to write only rows of final blocks",
    });
  checkParking(definition, report);
  if ("url" in settings) checkHttp(settings, report);
  if (type === "sqs_sink") checkHttp({ ...(settings.queue_url && { url: settings.queue_url }) }, report);
  if ("schema_override" in settings) checkOverrides(settings.schema_override ?? [], type, columns, report);
  if ("partition_columns" in settings) checkPartitions(settings.partition_columns ?? [], columns, report);
  if (definition.type === "kafka") checkKafka(definition.settings, columns, report);
  if (definition.type === "clickhouse") checkAppendOnly(definition.settings.append_only_mode, report);
  const written = "primary_key" in settings ? settings.primary_key : undefined;
  const key = written === undefined ? from.schema.key : checkKey(written, columns, report);
  if (!key) return undefined;
  const planned = { name: name.value, definition, from: from.name, schema: { columns, key } };
  if (definition.type !== "postgres_aggregate") return planned;
  const { group_by: groupBy, aggregate } = definition.settings;
  const aggregation = groupBy && aggregate && planAggregation(groupBy, aggregate, columns, report);
  return aggregation && { ...planned, aggregation };
}

/** Rows are only kept aside where that is as certain as the position. */
function checkParking({ type, name, settings }: SinkDefinition, report: Report): void {
  if (settings.on_error?.value !== "park" || parkingSinks.has(type)) return;
  const why = noParkingReasons[type] ?? "cannot keep them with its position";
  report.error(
    "sink-cannot-park",
    settings.on_error.at,
    `sink ${quote(name.value)} of type ${type} cannot keep rows aside: it ${why}`,
    {
      hint: `remove on_error, and leave out such rows in the query; these sinks can park: ${[...parkingSinks].join(", ")}`,
    },
  );
}

/** Why sinks cannot keep rows aside. */
const noParkingReasons: Partial<Readonly<Record<SinkType, string>>> = {
  print: "keeps no position",
  blackhole: "keeps no position",
  file: "writes the rows of a range as a whole",
  s3_sink: "writes the rows of a range as a whole",
};

/** Whether rows of a node come from an entity of a subgraph, through other nodes or not. */
function readsEntity(
  node: PlannedSource | PlannedTransform,
  nodes: readonly (PlannedSource | PlannedTransform)[],
): boolean {
  if (!("reads" in node)) return node.entity !== undefined;
  return nodes.some((before) => node.reads.includes(before.name) && readsEntity(before, nodes));
}

/** ClickHouse has no transactions, so versions are what tells rows of an interrupted batch from others. */
function checkAppendOnly(mode: Located<boolean> | undefined, report: Report): void {
  if (mode?.value === false)
    report.error("wrong-value", mode.at, "a clickhouse sink writes only in append-only mode", {
      hint: "remove append_only_mode: rows that are deleted in place cannot be restored when a batch is interrupted",
    });
}

/** The types that columns of a sink can have, and some of them for a hint. */
function overrideTypes(sink: SinkType): {
  readonly isType: (text: string) => boolean;
  readonly examples: string;
} {
  switch (sink) {
    case "clickhouse":
      return {
        isType: (text) => clickHouseType(text) !== undefined,
        examples: "Nullable(String), Int256, Decimal(38, 18) or DateTime64(3)",
      };
    case "mysql_sink":
      return {
        isType: (text) => overrideType(text, mysqlTypes) !== undefined,
        examples: "varchar(66), json, decimal(65,0) or datetime(6)",
      };
    default:
      return {
        isType: (text) => overrideType(text, postgresTypes) !== undefined,
        examples: "text, jsonb, numeric(78,0) or timestamptz",
      };
  }
}

/** Overrides name columns that are there and types that a column can have. */
function checkOverrides(
  overrides: readonly Named<string | null>[],
  sink: SinkType,
  columns: readonly RowColumn[],
  report: Report,
): void {
  const { isType, examples } = overrideTypes(sink);
  for (const { name, value } of overrides) {
    findColumn(name, columns, report);
    if (value.value !== null && !isType(value.value))
      report.error("wrong-value", value.at, `${quote(value.value)} is not a type that a column can have`, {
        hint: `write a type such as ${examples}, or null to leave the column out`,
      });
  }
}
