import type { StatusTerminal } from "./status-line.js";

/** A terminal that leaves out transient text such as progress, for output that programs read. */
export function quietTerminal(terminal: StatusTerminal): StatusTerminal {
  return { err: (text) => terminal.err(text), passing: () => undefined };
}
