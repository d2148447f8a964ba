import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { Terminal } from "./terminal.js";

/**
 * Asks questions at a terminal.
 * @param onInterrupt called for Ctrl-C, which a terminal in raw mode does not turn into a signal
 */
export function createAsk(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  onInterrupt: () => void,
): NonNullable<Terminal["ask"]> {
  return async (question, { hidden = false } = {}) => {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const reader = createInterface({ input, output: hidden ? nowhere : output, terminal: true });
    if (hidden) output.write(question);
    try {
      return await new Promise<string | undefined>((resolve) => {
        reader.once("close", () => resolve(undefined));
        reader.once("SIGINT", () => {
          reader.close();
          onInterrupt();
        });
        reader.question(hidden ? "" : question, resolve);
      });
    } finally {
      reader.close();
      // The line break of a hidden answer is not echoed.
      if (hidden) output.write("\n");
    }
  };
}
