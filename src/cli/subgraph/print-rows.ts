import { printJson } from "../remote/print-json.js";
import type { OutputArguments } from "../terminal/options.js";
import type { Terminal } from "../terminal/terminal.js";
import { type Column, listing, tableWidth } from "./listing.js";

/**
 * Prints a server's rows as `--output` says: as one JSON document, or as a table.
 * `empty` is said instead of a table without rows; left out, only its headings are.
 */
export function printRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { output, empty }: OutputArguments & { readonly empty?: string },
  terminal: Terminal,
): void {
  if (output === "json") printJson(rows, terminal);
  else {
    const isSaid = rows.length === 0 && empty !== undefined;
    terminal.out(isSaid ? `${empty}\n` : listing(columns, rows, tableWidth(terminal)));
  }
}
