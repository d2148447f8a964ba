/** A source that cannot be read. */
export class SourceError extends Error {
  override readonly name = "SourceError";
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  /** @param message a sentence, and what to do */
  constructor(message: string, isTemporary: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTemporary = isTemporary;
  }
}
