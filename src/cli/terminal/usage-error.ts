/** The command line asks for something it cannot mean; the message says what to write instead. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
