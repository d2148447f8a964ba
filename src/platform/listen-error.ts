/** A server cannot listen where it should; the message says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** The same failure for people; what is not about listening stays as it is. */
export function listenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const where = `port ${port} of ${host}`;
  if (code === "EADDRINUSE") {
    return new ListenError(
      `The ${where} is in use by another program, maybe another graphloom serve: end that, or choose another with --port.`,
    );
  }
  if (code === "EACCES") {
    return new ListenError(
      `The ${where} may not be used by this user: choose one above 1023 with --port, and put a proxy before it.`,
    );
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new ListenError(
      `This machine has no address ${host}: give one that it has with --host, 0.0.0.0 for all of them.`,
    );
  }
  return error;
}
