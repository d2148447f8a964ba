import { printJson } from "../remote/print-json.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { type Column, listing, tableWidth } from "./listing.js";

/**
 * Prints a server's rows in the format of `--output`: one JSON document, or a table.
 * `empty` replaces a table without rows; without it, only the headings are printed.
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
