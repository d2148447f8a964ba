import { visibleJson } from "../../base/text/visible.js";
import type { Terminal } from "../terminal/terminal.js";

/** Prints a value from a server as one JSON document, with control characters escaped for terminals. */
export function printJson(value: unknown, terminal: Terminal): void {
  terminal.out(`${visibleJson(JSON.stringify(value, null, 2))}\n`);
}
