/** A bug of ours, never of the configuration. The command line reports it as such and exits with 70. */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

/** Asserts what an earlier phase has already made sure of. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/** The value, which an earlier phase has already made sure is there. */
export function present<T>(value: T | undefined | null, message: string): T {
  invariant(value !== undefined && value !== null, message);
  return value;
}
