import { visible } from "../../../base/text/visible.js";
import type { ParkedDocument } from "../../../pipelines/sinks/parking/parked-document.js";
import { printDocument } from "../../dataset/print-document.js";
import { printRows } from "../../subgraph/print-rows.js";
import type { Terminal } from "../../terminal/terminal.js";
import { keyText, operationText, reasonText } from "./parked-text.js";

/** How a list is printed. */
export interface ParkedOutput {
  readonly output: "table" | "json" | "yaml";
}

/** A change that a sink keeps aside. */
export type ParkedOfSink = ParkedDocument & { readonly sink: string };

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
