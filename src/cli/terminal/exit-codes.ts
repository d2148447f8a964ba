/** Exit codes, the same for every command. */
export const exitCodes = {
  /** Done, nothing to complain of. */
  clean: 0,
  /** The configuration has errors, or a check failed, or the target could not be written. */
  diagnostics: 1,
  /** The command line was wrong. */
  usage: 2,
  /** A server refused, or could not be reached. */
  remote: 3,
  /** A bug of graphloom. */
  internal: 70,
  /** Interrupted by the user. */
  interrupted: 130,
  /** Nobody reads the output any more; what a shell shows for others that end so. */
  closedPipe: 141,
} as const;
