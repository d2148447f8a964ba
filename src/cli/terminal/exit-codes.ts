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
  /** The two sides differ: `diff` found a breaking change, `compare` any difference. */
  differs: 4,
  /** A bug in graphloom. */
  internal: 70,
  /** Interrupted by the user. */
  interrupted: 130,
  /** The reader of standard output has left; the code that shells show for SIGPIPE. */
  closedPipe: 141,
} as const;

/** The meaning of each exit code. The help prints this table, and a test compares README.md with it. */
export const exitCodeMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  clean: "success",
  diagnostics: "errors in the configuration or a failed check",
  usage: "wrong usage",
  remote: "a server refused the request or is unreachable",
  differs: "differences found",
  internal: "a bug in graphloom",
  interrupted: "interrupted",
  closedPipe: "the reader of the output has gone",
};

/** The table as one sentence, for the help. */
export function exitCodeHelp(): string {
  const meanings = Object.entries(exitCodeMeanings) as readonly [keyof typeof exitCodes, string][];
  return `Exit codes: ${meanings.map(([name, meaning]) => `${exitCodes[name]} ${meaning}`).join(", ")}`;
}
