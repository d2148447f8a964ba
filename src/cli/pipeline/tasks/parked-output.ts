import { visible } from "../../../base/text/visible.js";
import type { ParkedDocument } from "../../../pipelines/sinks/parking/parked-document.js";
import { valueText } from "../../../pipelines/sinks/parking/row-text.js";
import { printDocument } from "../../dataset/print-document.js";
import { printRows } from "../../subgraph/print-rows.js";
import type { Terminal } from "../../terminal/terminal.js";

/** How a list is printed. */
export interface ParkedOutput {
  readonly output: "table" | "json" | "yaml";
}

/** A change that a sink keeps aside. */
type ParkedOfSink = ParkedDocument & { readonly sink: string };

/** Prints what sinks keep aside, as a table or as one document. */
export async function printParked(
  parked: readonly ParkedOfSink[],
  { output }: ParkedOutput,
  terminal: Terminal,
): Promise<void> {
  if (output !== "table") return printDocument(parked, output, terminal);
  printRows(
    parked,
    [
      { title: "SINK", cell: ({ sink }) => visible(sink) },
      { title: "KEY", cell: keyText, mayShrink: true },
      { title: "CHANGE", cell: operationText },
      { title: "FROM", cell: placeText },
      { title: "PARKED", cell: ({ parkedAt }) => parkedAt },
      { title: "REASON", cell: reasonText, mayShrink: true },
    ],
    { output: "table", empty: "Nothing is parked." },
    terminal,
  );
}

function placeText({ source, from, to }: ParkedDocument): string {
  return `${visible(source)} ${from === to ? from : `${from}-${to}`}`;
}

const words = { i: "insert", u: "update", d: "delete" } as const;

/** The word for what a change does. */
function operationText({ operation }: Pick<ParkedDocument, "operation">): string {
  return words[operation];
}

/** `id=a1 block=7` */
function keyText({ key }: Pick<ParkedDocument, "key">): string {
  return Object.entries(key)
    .map(([name, value]) => `${visible(name)}=${valueText(value)}`)
    .join(" ");
}

/** Why a change is parked, or that it was dropped. */
function reasonText({ reason, droppedAt }: Pick<ParkedDocument, "reason" | "droppedAt">): string {
  const why = reason === null ? "waits behind another change of its key" : visible(reason);
  return droppedAt === null ? why : `dropped by hand: ${why}`;
}

/** `insert id=a1 (transfers 100-199): column amount: numeric field overflow` */
export function changeText(change: ParkedDocument): string {
  const { source, from, to } = change;
  const range = from === to ? `${from}` : `${from}-${to}`;
  return `${operationText(change)} ${keyText(change)} (${visible(source)} ${range}): ${reasonText(change)}`;
}
