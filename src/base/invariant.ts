/**
 * A bug in graphloom, never a mistake in the configuration. The command line reports it as such; its exit
 * code is 70.
 */
export class InternalError extends Error {
  override readonly name = "InternalError";
}

/**
 * Asserts a guarantee of an earlier phase.
 * @throws InternalError if it does not hold
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InternalError(message);
}

/**
 * The value, whose presence an earlier phase guarantees.
 * @throws InternalError if it is missing
 */
export function present<T>(value: T | undefined | null, message: string): T {
  invariant(value !== undefined && value !== null, message);
  return value;
}
