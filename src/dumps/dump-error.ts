/** Why a folder cannot be a dump, or cannot be restored or continued. */
export class DumpError extends Error {
  readonly hint: string | undefined;

  /** @param hint what to do */
  constructor(message: string, { hint, cause }: { readonly hint?: string; readonly cause?: unknown } = {}) {
    super(message, { cause });
    this.name = "DumpError";
    this.hint = hint;
  }
}
