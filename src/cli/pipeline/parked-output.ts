import { visible } from "../../base/visible.js";
import { rowJson } from "../../flows/changes/row-json.js";
import type { FlowSchema } from "../../flows/changes/schema.js";
import type { SinkParked } from "../../flows/runner/parked-of-sinks.js";
import { keyIndexes, type ParkedChange } from "../../flows/sinks/parking/parked-change.js";
import { rowName } from "../../flows/sinks/parking/row-text.js";
import { printDocument } from "../dataset/print-document.js";
import { printRows } from "../subgraph/print-rows.js";
import type { Terminal } from "../terminal/terminal.js";
import { operationText, reasonText } from "./parked-text.js";

/** How a list is printed. */
export interface ParkedOutput {
  readonly output: "table" | "json" | "yaml";
}

interface Listed {
  readonly sink: string;
  readonly schema: FlowSchema;
  readonly change: ParkedChange;
}

/** Prints what sinks keep aside, as a table or as one document. */
export async function printParked(
  found: readonly SinkParked[],
  { output }: ParkedOutput,
  terminal: Terminal,
): Promise<void> {
  const listed = found.flatMap(({ sink: { name, schema }, changes = [] }) =>
    changes.map((change): Listed => ({ sink: name, schema, change })),
  );
  if (output !== "table")
    return printDocument(
      listed.map(({ sink, schema, change }) => ({ sink, ...parkedDocument(change, schema) })),
      output,
      terminal,
    );
  printRows(
    listed,
    [
      { title: "SINK", cell: ({ sink }) => visible(sink) },
      { title: "KEY", cell: ({ change, schema }) => rowName(change.row, 0, schema), mayShrink: true },
      { title: "CHANGE", cell: ({ change }) => operationText(change) },
      { title: "FROM", cell: ({ change }) => placeText(change) },
      { title: "PARKED", cell: ({ change }) => timeText(change.at) },
      { title: "REASON", cell: ({ change }) => reasonText(change), mayShrink: true },
    ],
    { output: "table", empty: "Nothing is parked." },
    terminal,
  );
}

function placeText({ source, from, to }: ParkedChange): string {
  return `${visible(source)} ${from === to ? from : `${from}-${to}`}`;
}

function timeText(time: number): string {
  return new Date(time).toISOString();
}

/** A parked change for a document. */
export function parkedDocument(change: ParkedChange, schema: FlowSchema): object {
  const { source, from, to, row, reason, at, droppedAt } = change;
  const values = JSON.parse(rowJson(schema.columns, row, 0)) as Readonly<Record<string, unknown>>;
  const key = keyIndexes(schema).map((index) => schema.columns[index]?.name ?? "");
  return {
    source,
    from,
    to,
    operation: change.operation,
    key: Object.fromEntries(key.map((name) => [name, values[name]])),
    row: values,
    reason: reason ?? null,
    parkedAt: timeText(at),
    droppedAt: droppedAt === undefined ? null : timeText(droppedAt),
  };
}
