import { invariant } from "../../base/invariant.js";
import { quote } from "../../base/text/quote.js";
import { quoted } from "../../base/text/sql-quotes.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { RowColumn, RowSchema, ValueType } from "../changes/schema.js";
import type { DefinedPipeline, SinkDefinition } from "../definition/definition.js";
import type { Named } from "../definition/settings.js";
import { isEnvelope } from "../sources/kafka/topic-columns.js";
import { checkKey, findColumn } from "./check-key.js";
import { planLetters, refusingSink } from "./dead-letters.js";
import { keyCopies } from "./key-copies.js";
import { sourcesBefore } from "./nodes-before.js";
import type { PlannedSink, PlannedSource, PlannedTransform } from "./pipeline-plan.js";
import type { ColumnTypes, PlannedSinkType, SinkPlace } from "./planned-sink-type.js";

/** Types whose values have a single text form, which can name a folder. */
const namingTypes: ReadonlySet<ValueType> = new Set(["STRING", "LONG", "DECIMAL", "NUMERIC", "BOOLEAN"]);

/** Plans what each sink reads, and reports what it cannot accept. Sinks with errors are left out. */
export function planSinks(
  definition: DefinedPipeline,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  sinkTypes: readonly PlannedSinkType[],
  report: Report,
): readonly PlannedSink[] {
  const { sinks } = definition;
  const letters = sinks.flatMap((sink) => {
    const of = refusingSink(sink, definition);
    const refusing = sinks.find(({ name }) => name.value === of);
    return refusing ? (planLetters(sink, typeOf(sink, sinkTypes), refusing, report) ?? []) : [];
  });
  for (const [index, { definition: own, from }] of letters.entries())
    if (letters.findIndex((one) => one.from === from) < index)
      report.error("dead-letters", own.name.at, `two sinks get the refused rows of sink ${quote(from)}`, {
        hint: "remove one of them",
      });
  const others = sinks.filter((sink) => refusingSink(sink, definition) === undefined);
  return others.flatMap((sink) => {
    const planned = planSink(sink, nodes, sinkTypes, report);
    const own = letters.find(({ from }) => from === sink.name.value);
    return planned ? { ...planned, ...(own && { deadLetters: own }) } : [];
  });
}

function typeOf({ type }: SinkDefinition, sinkTypes: readonly PlannedSinkType[]): PlannedSinkType {
  const found = sinkTypes.find((one) => one.name === type);
  invariant(found, `there is no sink of type ${type}`);
  return found;
}

function planSink(
  definition: SinkDefinition,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  sinkTypes: readonly PlannedSinkType[],
  report: Report,
): PlannedSink | undefined {
  const { name, settings } = definition;
  const type = typeOf(definition, sinkTypes);
  const wanted = settings.from?.value.toLowerCase();
  const from = nodes.find((node) => node.name.toLowerCase() === wanted);
  if (!from) return undefined;
  const { columns } = from.schema;
  const isAdding = type.place === "files";
  const changed = isAdding ? changedSource(from, nodes) : undefined;
  if (changed)
    report.error("sink-cannot-delete", name.at, `sink ${quote(name.value)} only adds rows, and ${changed}`, {
      hint: "write them to a sink that updates rows, such as postgres",
    });
  else if (isAdding && settings.finalized?.value !== true)
    report.error("sink-cannot-delete", name.at, `sink ${quote(name.value)} cannot delete rows`, {
      hint: "add finalized: true, to write only rows of final blocks",
    });
  checkParking(definition, type, sinkTypes, report);
  checkMessages(definition, type, from, nodes, report);
  const { schema_override: overrides, partition_columns: partitions, primary_key: written } = settings;
  if (overrides && type.columnTypes) checkOverrides(overrides, type.columnTypes, columns, report);
  if (partitions) checkPartitions(partitions, columns, report);
  const own = type.check?.(definition, columns, report);
  const key = written === undefined ? from.schema.key : checkKey(written, columns, report);
  if (key) checkReplacing(definition, type, { from: from.name, key, columns }, nodes, report);
  return key && { name: name.value, definition, from: from.name, schema: { columns, key }, ...own };
}

/**
 * A topic whose messages replace earlier ones knows only the keys of rows that are gone. A sink has to delete by this key,
 * and must not need the rest of the row.
 */
function checkReplacing(
  { name, settings }: SinkDefinition,
  { place }: PlannedSinkType,
  { from, ...schema }: Pick<PlannedSink, "from"> & RowSchema,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  report: Report,
): void {
  if (place === "files") return;
  const { deletions } = settings;
  const needsRows =
    "aggregate" in settings ||
    place === "messages" ||
    (place === "topic" && !(deletions && "value" in deletions && deletions.value === "tombstone"));
  for (const [source, copies] of keyCopies(from, schema, nodes)) {
    const topic = quote(source.name);
    if (needsRows)
      report.error(
        "sink-cannot-delete",
        name.at,
        `sink ${quote(name.value)} needs whole rows that are gone, and messages of ${topic} tell their keys only`,
        {
          hint:
            place === "topic"
              ? "add deletions: tombstone"
              : "write to a table, or let the topic have envelopes of Debezium, which hold the rows",
        },
      );
    else if (!copies)
      report.error(
        "sink-cannot-delete",
        settings.primary_key?.[0]?.at ?? name.at,
        `sink ${quote(name.value)} cannot delete rows of ${topic}: its key is not ${source.schema.key.join(", ")} of the topic`,
        { hint: "select these columns as they are, and make them the primary_key; AS may rename them" },
      );
  }
}

/** Rows may only be parked if that is as durable as the position. */
function checkParking(
  { name, settings }: SinkDefinition,
  type: PlannedSinkType,
  sinkTypes: readonly PlannedSinkType[],
  report: Report,
): void {
  if (settings.on_error?.value !== "park" || parkingPlaces.has(type.place)) return;
  const why = noParkingReasons[type.place] ?? "cannot keep them with its position";
  const able = sinkTypes.flatMap((one) => (parkingPlaces.has(one.place) ? one.name : []));
  report.error(
    "sink-cannot-park",
    settings.on_error.at,
    `sink ${quote(name.value)} of type ${type.name} cannot keep rows aside: it ${why}`,
    {
      hint: `remove on_error, and leave out such rows in the query; these sinks can park: ${able.join(", ")}`,
    },
  );
}

/** Messages that cannot be read may only be parked if the sink does that with rows. */
function checkMessages(
  { name, settings }: SinkDefinition,
  { place }: PlannedSinkType,
  from: PlannedSource | PlannedTransform,
  nodes: readonly (PlannedSource | PlannedTransform)[],
  report: Report,
): void {
  if (settings.on_error?.value === "park") return;
  const transforms = nodes.flatMap((node) => ("reads" in node ? [node] : []));
  const sources = nodes.flatMap((node) => ("reads" in node ? [] : [node]));
  for (const { name: topic, definition } of sourcesBefore(from.name, { sources, transforms }))
    if (definition.type === "kafka" && definition.settings.on_error?.value === "park")
      report.error(
        "sink-cannot-park",
        name.at,
        `sink ${quote(name.value)} keeps nothing aside, and ${quote(topic)} leaves that to its sinks`,
        {
          hint: parkingPlaces.has(place)
            ? "add on_error: park to the sink, too"
            : "choose stop or skip in the source, or write to another sink",
        },
      );
}

/** What sinks write that can keep rows aside. */
const parkingPlaces: ReadonlySet<SinkPlace> = new Set([
  "table",
  "versions",
  "topic",
  "messages",
  "documents",
]);

/** Why other sinks cannot. */
const noParkingReasons: Partial<Readonly<Record<SinkPlace, string>>> = {
  nothing: "keeps no position",
  files: "refuses no single row, and writes the rows of a range as a whole",
};

/** Which rows of a node change even if no block is undone, as the rest of a sentence; `undefined` if none do. */
function changedSource(
  node: PlannedSource | PlannedTransform,
  nodes: readonly (PlannedSource | PlannedTransform)[],
): string | undefined {
  if (!("reads" in node)) {
    if (node.entity) return "entities are updated in final blocks, too";
    const isKeyed =
      node.definition.type === "kafka" && isEnvelope(node.definition.settings.data_format?.value);
    if (node.replaces) return "later messages replace rows";
    return isKeyed ? "rows of Debezium are updated and deleted" : undefined;
  }
  for (const before of nodes) {
    const found = node.reads.includes(before.name) ? changedSource(before, nodes) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Overrides must name existing columns and types that a column can have. */
function checkOverrides(
  overrides: readonly Named<string | null>[],
  { isType, examples }: ColumnTypes,
  columns: readonly RowColumn[],
  report: Report,
): void {
  for (const { name, value } of overrides) {
    findColumn(name, columns, report);
    if (value.value !== null && !isType(value.value))
      report.error("wrong-value", value.at, `${quote(value.value)} is not a type that a column can have`, {
        hint: `write a type such as ${examples}, or null to leave the column out`,
      });
  }
}

/**
 * Checks that the partition columns exist, are named once, can name folders, and leave other columns for the files.
 */
function checkPartitions(
  wanted: readonly LocatedString[],
  columns: readonly RowColumn[],
  report: Report,
): void {
  const seen = new Set<string>();
  for (const name of wanted) {
    const column = findColumn(name, columns, report);
    if (!column) continue;
    if (seen.has(column.name))
      report.error("wrong-value", name.at, `${quote(column.name)} is among the partition columns twice`, {
        hint: "name each column once",
      });
    else if (!namingTypes.has(column.type))
      report.error(
        "wrong-value",
        name.at,
        `rows cannot be partitioned by ${quote(column.name)}, which is ${column.type}`,
        { hint: wayOut(column) },
      );
    seen.add(column.name);
  }
  const [first] = wanted;
  if (first && seen.size === columns.length)
    report.error("wrong-value", first.at, "all columns of the rows are partition columns", {
      hint: "leave out one at least, since files hold only the other columns",
    });
}

/** Suggests what to partition by instead. */
function wayOut({ name, type }: RowColumn): string {
  const column = quoted(name);
  switch (type) {
    case "TIMESTAMP":
      return `compute a text in the query, such as ${column}::DATE::VARCHAR AS part`;
    case "ARRAY<STRING>":
      return `compute a text in the query, such as ${column}[1] AS part`;
    case "JSON":
      return `compute a text in the query, such as ${column}->>'field' AS part`;
    default:
      return `compute a whole number in the query, such as floor(${column})::BIGINT AS part`;
  }
}
