import type { Terminal } from "../../src/cli/terminal/terminal.js";

/** A terminal that records results and messages together. */
export function memoryTerminal(): Terminal & { said(): string } {
  let text = "";
  const note = (more: string): void => {
    text += more;
  };
  return {
    cwd: "/",
    out: note,
    err: note,
    color: false,
    onWriting: () => undefined,
    signal: new AbortController().signal,
    said: () => text,
  };
}
