/** Exit codes, the same for every command. */
export const exitCodes = {
  /** Success. */
  clean: 0,
  /** The configuration has errors, or a check failed, or the target could not be written. */
  diagnostics: 1,
  /** A wrong command line. */
  usage: 2,
  /** A server refused a request, or was unreachable. */
  remote: 3,
  /** What was compared differs: `diff` found a breaking change, `compare` any difference. */
  differs: 4,
  /** A bug in graphloom. */
  internal: 70,
  /** Interrupted by the user. */
  interrupted: 130,
  /** Standard output's reader has gone; the code that shells show for SIGPIPE. */
  closedPipe: 141,
} as const;
