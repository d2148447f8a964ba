import type { Terminal } from "./terminal.js";

/** The function that prints transient text, such as progress. */
export function passing(terminal: Pick<Terminal, "err" | "passing">): (text: string) => void {
  return (text) => (terminal.passing ? terminal.passing(text) : terminal.err(text));
}
