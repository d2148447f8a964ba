import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { Location } from "../../compiler/source/source.js";
import type { RowColumn } from "../changes/schema.js";
import type { SinkDefinitionOf } from "../definition/definition.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { BlackholeShape } from "../sinks/blackhole/shape.js";
import type { KafkaShape } from "../sinks/kafka/shape.js";
import type { MysqlShape } from "../sinks/mysql/shape.js";
import type { PostgresShape } from "../sinks/postgres/shape.js";

/** Sinks that Flink has connectors for. */
export type FlinkSinkDefinition =
  | (SinkDefinitionOf<PostgresShape> & { readonly type: "postgres" })
  | (SinkDefinitionOf<MysqlShape> & { readonly type: "mysql_sink" })
  | (SinkDefinitionOf<KafkaShape> & { readonly type: "kafka" })
  | (SinkDefinitionOf<BlackholeShape> & { readonly type: "blackhole" });

/** A sink that Flink writes. */
export interface FlinkSink extends PlannedSink {
  readonly definition: FlinkSinkDefinition;
}

const types: ReadonlySet<string> = new Set([
  "postgres",
  "mysql_sink",
  "kafka",
  "blackhole",
] satisfies FlinkSinkDefinition["type"][]);

/** Whether Flink has a connector for a sink. */
export function isFlinkSink(sink: PlannedSink): sink is FlinkSink {
  return types.has(sink.definition.type);
}

/** The columns that a sink writes: schema_override may leave some out. */
export function writtenColumns({ definition, schema }: FlinkSink): readonly RowColumn[] {
  const overrides = overridesOf(definition);
  return schema.columns.filter(({ name }) => overrides.get(name) !== null);
}

/** Types from the definition, by column; null leaves a column out. */
export function overridesOf({ settings }: FlinkSinkDefinition): ReadonlyMap<string, string | null> {
  const given = "schema_override" in settings ? (settings.schema_override ?? []) : [];
  return new Map(given.map(({ name, value }) => [name.value, value.value]));
}

/** Something that Flink cannot write: the rest of a sentence that begins with the sink, and a remedy. */
interface Fault {
  readonly message: string;
  readonly hint: string;
  /** The sink itself by default. */
  readonly at?: Location | undefined;
}

/** Reports what Flink cannot write of a sink. */
export function checkFlinkSink(sink: PlannedSink, report: Report): void {
  const { name } = sink.definition;
  for (const { message, hint, at = name.at } of faultsOf(sink))
    report.error("flink-cannot", at, `sink ${quote(name.value)} ${message}`, { hint });
}

function faultsOf(sink: PlannedSink): readonly Fault[] {
  const { type } = sink.definition;
  if (!isFlinkSink(sink)) {
    const way =
      type === "postgres_aggregate"
        ? "aggregate with GROUP BY in a query, and write its rows to a postgres sink"
        : "write to postgres, mysql_sink or kafka";
    return [{ message: `is of type ${type}, which Flink cannot write`, hint: way }];
  }
  const { definition, schema } = sink;
  const { on_error: onError } = definition.settings;
  if (onError?.value === "park")
    return [{ message: "parks rows, which Flink does not", hint: "remove on_error", at: onError.at }];
  if (definition.type === "blackhole") return [];
  if (schema.key.length === 0)
    return [{ message: "has no key", hint: "add primary_key: Flink updates rows by their key" }];
  if (definition.type === "kafka") return topicFaults(definition);
  return [
    ...tableFaults(definition),
    ...writtenColumns(sink).flatMap((column) => columnFaults(column, definition)),
  ];
}

function topicFaults({
  settings: { deletions, data_format: format },
}: Extract<FlinkSinkDefinition, { readonly type: "kafka" }>): readonly Fault[] {
  if (format && format.value !== "json")
    return [{ message: `writes ${format.value}`, hint: "write data_format: json", at: format.at }];
  if (deletions?.value === "tombstone") return [];
  const hint = "add deletions: tombstone, which is how Flink deletes";
  return [{ message: "writes deleted rows", hint, at: deletions?.at }];
}

type TableDefinition = Extract<FlinkSinkDefinition, { readonly type: "postgres" | "mysql_sink" }>;

function tableFaults({ type, settings }: TableDefinition): readonly Fault[] {
  const { on_conflict: conflict, schema, table } = settings;
  const faults: Fault[] = [];
  if (conflict?.value === "nothing")
    faults.push({ message: "keeps rows that are there", hint: "write on_conflict: update", at: conflict.at });
  for (const name of type === "postgres" ? [schema, table] : [])
    if (name && needsQuotes(name.value))
      faults.push({
        message: `writes to ${quote(name.value)}, which PostgreSQL has to have in quotes, and Flink writes none`,
        hint: "choose a name of lower-case letters, digits and _",
        at: name.at,
      });
  return faults;
}

function columnFaults({ name, type }: RowColumn, sink: TableDefinition): readonly Fault[] {
  if (sink.type === "postgres" && needsQuotes(name))
    return [
      {
        message: `has the column ${quote(name)}, which PostgreSQL has to have in quotes, and Flink writes none`,
        hint: "give the column another name in the query, in lower case",
      },
    ];
  if (type === "ARRAY<STRING>")
    return [
      {
        message: `has the list ${quote(name)}, which Flink cannot write to a database`,
        hint: `add schema_override: { ${name}: null }, or join the list to a text in the query`,
      },
    ];
  return [];
}

/** Whether PostgreSQL accepts a name only in quotes. The connector writes none. */
function needsQuotes(name: string): boolean {
  return !/^[a-z_][a-z0-9_]*$/.test(name) || reserved.has(name);
}

/** Words that cannot name a column in PostgreSQL. */
const reserved: ReadonlySet<string> = new Set(
  `all analyse analyze and any array as asc asymmetric both case cast check collate column constraint create
  current_catalog current_date current_role current_time current_timestamp current_user default deferrable desc distinct do
  else end except false fetch for foreign from grant group having in initially intersect into lateral leading limit
  localtime localtimestamp not null offset on only or order placing primary references returning select session_user some
  symmetric system_user table then to trailing true union unique user using variadic when where window with`.split(
    /\s+/,
  ),
);
