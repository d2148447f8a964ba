/** A source, a transform or a sink that cannot do its work, for a reason that its user can act on. */
export class PipelineError extends Error {
  override readonly name: string = "PipelineError";
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;
  /** Milliseconds that a server asks to wait before another attempt. */
  readonly retryAfter: number | undefined;

  /** @param message a sentence, and what to do */
  constructor(
    message: string,
    isTemporary: boolean,
    options?: ErrorOptions & { readonly retryAfter?: number | undefined },
  ) {
    super(message, options);
    this.isTemporary = isTemporary;
    this.retryAfter = options?.retryAfter;
  }
}
