import { visible } from "../../../base/text/visible.js";
import type { RangeDifference, SourceFindings } from "../../../pipelines/audit/audit-sink.js";
import { isPart } from "../../../pipelines/changes/source-parts.js";
import { type BlockRange, differenceKinds, type RowDifference } from "../../../pipelines/sinks/audit.js";
import type { ParkedDocument } from "../../../pipelines/sinks/parking/parked-document.js";
import type { FoundDocument, SinkDocument } from "../../../pipelines/tasks/findings-document.js";
import { count } from "../../terminal/count.js";
import { changeText } from "./parked-output.js";

/** How many rows and how many changes to show one by one. */
const mostShown = 20;

/** The findings about a sink, for people. @param mends whether the audit repaired them */
export function findingsText(document: SinkDocument, mends: boolean): string {
  const title = `${visible(document.sink)} (${document.type})`;
  if ("error" in document) return `${title}: not compared: ${visible(document.error)}\n`;
  if (!document.ledger) return `${title}: this version cannot compare it\n`;
  const lines = document.sources.flatMap((source) => sourceLines(source, mends));
  return [
    title,
    ...lines,
    ...rowLines(document, mends),
    ...parkedLines(document.parked),
    ...document.unproved.map((text) => `  ${visible(text)}`),
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
        `${name}: ${isPart(source) ? "offsets" : "blocks"} ${rangeText(range)}, ${count(ranges, "range")}, ${count(rows, "row")}: ${verdictText(differing)}`,
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

function rowLines({ rows }: FoundDocument, mends: boolean): readonly string[] {
  if (!rows) return ["  rows cannot be read back: only the ledger was compared"];
  const wrong = differenceKinds.filter((kind) => rows.counts[kind] > 0);
  const scope = rows.whole ? "" : " (rows that belong to no range were not looked for)";
  const lines = wrong.map((kind) => `${rows.counts[kind]} ${kind}`);
  const total = differenceKinds.reduce((sum, kind) => sum + rows.counts[kind], 0);
  const first = rows.first.slice(0, mostShown);
  const verdict = total === 0 ? "as they should be" : `${lines.join(", ")}${mends ? "; mended" : ""}`;
  return [
    `  rows: ${verdict}${scope}`,
    ...first.map((row) => `    ${rowText(row)}`),
    ...(total > first.length ? [`    and ${count(total - first.length, "other")}`] : []),
    ...rows.notes.map((note) => `  ${visible(note)}${mends ? " It was written again." : ""}`),
    ...rows.strays.map(
      (path) => `  ${visible(path)} is not a file that this pipeline has written. Remove it.`,
    ),
  ];
}

function parkedLines(parked: readonly ParkedDocument[]): readonly string[] {
  if (parked.length === 0) return [];
  const dropped = parked.filter(({ droppedAt }) => droppedAt !== null).length;
  const counts = [
    ...(parked.length > dropped ? [`${parked.length - dropped} parked`] : []),
    ...(dropped > 0 ? [`${dropped} dropped by hand`] : []),
  ];
  return [
    `  changes that are kept aside: ${counts.join(", ")}`,
    ...parked.slice(0, mostShown).map((change) => `    ${changeText(change)}`),
    ...(parked.length > mostShown ? [`    and ${count(parked.length - mostShown, "other")}`] : []),
  ];
}

function rowText({ kind, table, key, columns }: RowDifference): string {
  const shown = Object.entries(key).map(([name, value]) => `${visible(name)}=${visible(value ?? "null")}`);
  return `${kind}${table === undefined ? "" : ` in ${visible(table)}`} ${shown.join(" ")}${columns ? ` (${columns.map(visible).join(", ")})` : ""}`;
}

/** The findings about all sinks, as one JSON document. */
export function findingsJson(sinks: readonly SinkDocument[], mends: boolean): string {
  return `${JSON.stringify({ mended: mends, sinks }, null, 2)}\n`;
}
