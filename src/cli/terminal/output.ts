import { visible } from "../../base/text/visible.js";
import { exitCodes } from "./exit-codes.js";

/** The part of a stream that `printTo` needs. */
export interface OutputStream {
  write(text: string): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Why printing is no longer possible: a message of whole lines, and the exit code. */
export interface OutputLoss {
  /** Empty when other tools are silent too. */
  readonly text: string;
  readonly code: number;
}

/**
 * Makes a function that prints to a stream whose reader may leave; further output is dropped then.
 * @param onLoss called once when that happens
 * @returns the function; it never throws
 */
export function printTo(stream: OutputStream, onLoss: (loss: OutputLoss) => void): (text: string) => void {
  let isLost = false;
  const lose = (error: unknown): void => {
    if (isLost) return;
    isLost = true;
    onLoss(lossOf(error));
  };
  stream.on("error", lose);
  return (text) => {
    if (isLost) return;
    try {
      stream.write(text);
    } catch (error) {
      lose(error);
    }
  };
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is exceeded",
  EIO: "the device reported an error",
};

function lossOf(error: unknown): OutputLoss {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  // The reader, such as `head`, has exited, which is not a failure.
  if (code === "EPIPE" || code === "ECONNRESET") return { text: "", code: exitCodes.closedPipe };
  const reason = Object.hasOwn(reasons, code) ? `${reasons[code]} (${code})` : String(error);
  return { text: `The output cannot be written: ${visible(reason)}.\n`, code: exitCodes.diagnostics };
}
