import { openSync } from "node:fs";
import { WriteStream } from "node:tty";

/** A stream that may be a terminal. */
type Stream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/**
 * Where the person at the terminal sees a question: standard error, or the terminal itself where that is redirected.
 * What is asked for in neither place is still not shown while it is typed.
 */
export function promptStream(stderr: Stream): Stream {
  if (stderr.isTTY) return stderr;
  try {
    return new WriteStream(openSync("/dev/tty", "w"));
  } catch {
    // There is no such file, as on Windows, or nobody may open it.
    return stderr;
  }
}
