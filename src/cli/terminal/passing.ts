import type { Terminal } from "./terminal.js";

/** What prints to people what means nothing a moment later, such as progress. */
export function passing(terminal: Pick<Terminal, "err" | "passing">): (text: string) => void {
  return (text) => (terminal.passing ? terminal.passing(text) : terminal.err(text));
}
