/** A stream that may be a terminal. */
export type PromptStream = NodeJS.WritableStream & { readonly isTTY?: boolean };

/**
 * Where the person at the terminal sees a question: standard error, or the terminal itself where that is redirected.
 * What is asked for in neither place is still not shown while it is typed.
 * @param openTerminal opens the terminal, or throws where that cannot be done
 */
export function promptStream(stderr: PromptStream, openTerminal: () => PromptStream): PromptStream {
  if (stderr.isTTY) return stderr;
  try {
    return openTerminal();
  } catch {
    // There is no such file, as on Windows, or nobody may open it.
    return stderr;
  }
}
