import { visibleJson } from "../../base/visible.js";
import type { Terminal } from "../terminal/terminal.js";

/** Prints a value that came from a server as one JSON document, which is safe to show on a terminal, too. */
export function printJson(value: unknown, terminal: Terminal): void {
  terminal.out(`${visibleJson(JSON.stringify(value, null, 2))}\n`);
}
