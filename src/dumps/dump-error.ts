/** Why a folder cannot be a dump, or cannot be restored or continued. */
export class DumpError extends Error {
  override readonly name: string = "DumpError";
  readonly hint: string | undefined;

  /** @param hint what to do */
  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.hint = hint;
  }
}

/** A client's files are of a block that the chain has replaced, or of another deployment. */
export class DumpReplacedError extends Error {
  override readonly name = "DumpReplacedError";
}

/** A server's answer ends before it is whole, as after a lost connection. */
export class DumpCutError extends DumpError {
  override readonly name = "DumpCutError";

  constructor() {
    super("the server's answer ends early", { hint: "Repeat the command: it continues." });
  }
}
