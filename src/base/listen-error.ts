/** The server cannot listen on its address; the message says what to do. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/**
 * Turns a failure to listen into a `ListenError`; returns every other error unchanged.
 * @param option the option that sets the port
 */
export function listenError(error: unknown, host: string, port: number, option = "--port"): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const where = `port ${port} on ${host}`;
  if (code === "EADDRINUSE") {
    return new ListenError(
      `Another program already uses ${where}, perhaps another graphloom serve. Stop it, or choose a different port with ${option}.`,
    );
  }
  if (code === "EACCES") {
    return new ListenError(
      `This user may not listen on ${where}. Choose a port above 1023 with ${option}, and put a proxy in front of the server.`,
    );
  }
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    return new ListenError(
      `This machine does not have the address ${host}. Pass one of its own addresses${option === "--port" ? " with --host" : ""}, or 0.0.0.0 for all of them.`,
    );
  }
  return error;
}
