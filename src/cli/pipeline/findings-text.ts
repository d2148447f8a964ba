import { visible } from "../../base/visible.js";
import type { RangeDifference, SinkFindings, SourceFindings } from "../../flows/audit/audit-sink.js";
import type { FlowSchema } from "../../flows/changes/schema.js";
import type { PlannedSink } from "../../flows/plan/flow-plan.js";
import { type BlockRange, differenceKinds, type RowDifference } from "../../flows/sinks/audit.js";
import type { ParkedChange } from "../../flows/sinks/parking/parked-change.js";
import { count } from "../terminal/count.js";
import { parkedDocument } from "./parked-output.js";
import { changeText } from "./parked-text.js";

/** What became of the audit of a sink. */
export interface SinkAudited {
  readonly planned: PlannedSink;
  /** What was found, or why it could not be audited. */
  readonly outcome: SinkFindings | Error;
}

/** What was found about a sink, for people. @param mends whether what was found was mended */
export function findingsText(
  { name, definition, schema }: PlannedSink,
  outcome: SinkFindings | Error,
  mends: boolean,
): string {
  const title = `${visible(name)} (${definition.type})`;
  if (outcome instanceof Error) return `${title}: not compared: ${visible(outcome.message)}\n`;
  if (!outcome.isKept) return `${title}: this version cannot compare it\n`;
  const lines = outcome.sources.flatMap((source) => sourceLines(source, mends));
  return [
    title,
    ...lines,
    ...rowLines(outcome, mends),
    ...parkedLines(outcome.parked, schema),
    ...outcome.unproved.map((text) => `  ${visible(text)}`),
  ]
    .map((line) => `${line}\n`)
    .join("");
}

function sourceLines(
  { source, compared, range, ranges, rows, open, differing }: SourceFindings,
  mends: boolean,
): string[] {
  const name = `  ${visible(source)}`;
  if (compared === "nothing") return [`${name}: not compared`];
  if (!range && open === 0) return [`${name}: nothing was written`];
  const lines = [];
  if (range) {
    const read = `${name}: ${count(rows, "row")} when the sink read it`;
    if (compared === "some rows") lines.push(`${read}, as far as it is known: the ledger was not compared`);
    else if (compared === "rows")
      lines.push(`${read}: the ledger ${differing.length === 0 ? "agrees" : "differs"}`);
    else
      lines.push(
        `${name}: blocks ${rangeText(range)}, ${count(ranges, "range")}, ${count(rows, "row")}: ${verdictText(differing)}`,
      );
  }
  for (const one of differing) lines.push(`    ${differenceText(one, mends)}`);
  if (open > 0)
    lines.push(`${name}: ${count(open, "block")} that may still be replaced, compared with what was written`);
  return lines;
}

function verdictText({ length }: readonly RangeDifference[]): string {
  return length === 0 ? "the ledger agrees" : `${count(length, "range")} differ from the ledger`;
}

function differenceText({ from, to, recorded, found, isMended }: RangeDifference, mends: boolean): string {
  const had = recorded === undefined ? "is not in the ledger" : `has ${count(recorded, "row")} in the ledger`;
  const now = recorded === found ? "others in the source" : `${found} in the source`;
  return `${rangeText({ from, to })} ${had}, ${now}${mends && !isMended ? "; not mended" : ""}`;
}

function rangeText({ from, to }: BlockRange): string {
  return from === to ? String(from) : `${from}-${to}`;
}

function rowLines({ rows, isWhole }: SinkFindings, mends: boolean): readonly string[] {
  if (!rows) return ["  rows cannot be read back: only the ledger was compared"];
  const wrong = differenceKinds.filter((kind) => rows.counts[kind] > 0);
  const scope = isWhole ? "" : " (rows that belong to no range were not looked for)";
  const lines = wrong.map((kind) => `${rows.counts[kind]} ${kind}`);
  const total = differenceKinds.reduce((sum, kind) => sum + rows.counts[kind], 0);
  const verdict = total === 0 ? "as they should be" : `${lines.join(", ")}${mends ? "; mended" : ""}`;
  return [
    `  rows: ${verdict}${scope}`,
    ...rows.first.map((row) => `    ${rowText(row)}`),
    ...(total > rows.first.length ? [`    and ${count(total - rows.first.length, "other")}`] : []),
    ...rows.notes.map((note) => `  ${visible(note)}${mends ? " It was written again." : ""}`),
    ...rows.strays.map(
      (path) => `  ${visible(path)} is not a file that this pipeline has written. Remove it.`,
    ),
  ];
}

/** Changes that are shown one by one. */
const mostParked = 20;

function parkedLines(parked: readonly ParkedChange[], schema: FlowSchema): readonly string[] {
  if (parked.length === 0) return [];
  const dropped = parked.filter(({ droppedAt }) => droppedAt !== undefined).length;
  const counts = [
    ...(parked.length > dropped ? [`${parked.length - dropped} parked`] : []),
    ...(dropped > 0 ? [`${dropped} dropped by hand`] : []),
  ];
  return [
    `  changes that are kept aside: ${counts.join(", ")}`,
    ...parked.slice(0, mostParked).map((change) => `    ${changeText(change, schema)}`),
    ...(parked.length > mostParked ? [`    and ${count(parked.length - mostParked, "other")}`] : []),
  ];
}

function rowText({ kind, table, key, columns }: RowDifference): string {
  const shown = Object.entries(key).map(([name, value]) => `${visible(name)}=${visible(value ?? "null")}`);
  return `${kind}${table === undefined ? "" : ` in ${visible(table)}`} ${shown.join(" ")}${columns ? ` (${columns.map(visible).join(", ")})` : ""}`;
}

/** What was found about all sinks, as one JSON document. */
export function findingsJson(audited: readonly SinkAudited[], mends: boolean): string {
  const sinks = audited.map(({ planned: { name, definition, schema }, outcome }) => ({
    sink: name,
    type: definition.type,
    ...(outcome instanceof Error ? { error: outcome.message } : foundJson(outcome, schema)),
  }));
  return `${JSON.stringify({ mended: mends, sinks }, null, 2)}\n`;
}

function foundJson(
  { isKept, sources, rows, isWhole, unproved, parked }: SinkFindings,
  schema: FlowSchema,
): object {
  return {
    ledger: isKept,
    sources,
    unproved,
    rows: rows ? { ...rows, whole: isWhole } : null,
    parked: parked.map((change) => parkedDocument(change, schema)),
  };
}
