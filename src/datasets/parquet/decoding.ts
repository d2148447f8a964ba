/**
 * Decodes bytes of a file. Damaged bytes make the decoder fail with JavaScript's own errors, whose messages mean nothing to
 * users.
 * @throws Error with a message for users
 */
export function decoded<T>(decode: () => T): T {
  try {
    const value = decode();
    return value instanceof Promise ? (value.catch(refuse) as T) : value;
  } catch (error) {
    return refuse(error);
  }
}

function refuse(error: unknown): never {
  const isDamaged = [RangeError, TypeError, SyntaxError].some((kind) => error instanceof kind);
  throw isDamaged ? new Error("it is damaged", { cause: error }) : error;
}
