import { Readable, Writable } from "node:stream";
import type { Terminal } from "./terminal.js";
import { UsageError } from "./usage/usage-error.js";

/**
 * Standard input and output as streams, for another program that has started the command and talks to it.
 * @param refusal what to say to a person who starts it
 * @throws UsageError without standard input, and at a terminal
 */
export function talkStreams(
  { stdin, ask, out }: Terminal,
  refusal: string,
): { readonly input: Readable; readonly output: Writable } {
  if (!stdin || ask) throw new UsageError(refusal);
  const output = new Writable({
    decodeStrings: false,
    write(chunk, _, done) {
      out(String(chunk));
      done();
    },
  });
  return { input: Readable.from(stdin), output };
}
