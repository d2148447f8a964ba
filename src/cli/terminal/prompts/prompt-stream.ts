/** A stream that may be a terminal. */
export type PromptStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/**
 * The stream for prompts: standard error, or the terminal itself when that is redirected. Without either, a
 * hidden answer is still not echoed.
 * @param openTerminal opens the terminal device, or throws
 */
export function promptStream(stderr: PromptStream, openTerminal: () => PromptStream): PromptStream {
  if (stderr.isTTY) return stderr;
  try {
    return openTerminal();
  } catch {
    // There is no terminal device, as on Windows, or it cannot be opened.
    return stderr;
  }
}
